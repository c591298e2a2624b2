/* model/evaluate.c: how good a model is on data that it has not seen, beside
   what can be had without a model.
   Main type Evaluation; entry point print_evaluation. A model and data flow
   in, a few lines flow out. */
#include "model/evaluate.h"
#include <math.h>
#include <string.h>

Loss *const loss_of_task[] = { loss_11, loss_12, loss_13, loss_class };

double mean_loss(Trainer *trainer, Task task, const Data *data)
{
    Score score = evaluate(trainer, loss_of_task[task], data);
    if (!isfinite(score.loss))
        trainer->diverged = true;
    return score.tokens == 0 ? (double)NAN
                             : score.loss / (double)score.tokens;
}

/* Returns the bits a token of drawing each by how often it occurs in the
   training data, where each counts once more. In a chunk of Algorithm 13 the
   first token is given. */
static double unigram_bits(const Evaluation *e)
{
    int N_V = tokenizer_size(e->model->tokenizer);
    double loss = 0, total = N_V, tokens = 0;
    double *often = arena_alloc(e->command->arena,
                                ((size_t)N_V + 1) * sizeof *often);
    for (int v = 1; v <= N_V; v++)
        often[v] = 1;
    for (int n = 1; n <= e->train->N_data; n++)
        for (int t = 1; t <= e->train->x[n].length; t++, total++)
            often[TOKEN(e->train->x[n], t)]++;
    for (int n = 1; n <= e->data->N_data; n++)
        for (int t = e->model->task == TRAIN_D ? 2 : 1;
             t <= e->data->x[n].length; t++, tokens++)
            loss -= log2(often[TOKEN(e->data->x[n], t)] / total);
    return loss / tokens;
}

static int count_exact_translations(const Evaluation *e)
{
    Tape *tape = e->command->tape;
    const Theta *theta = e->model->theta;
    KVCache *cache = kv_cache_new(e->command->arena, tape, theta);
    Inference how = { .tau = 0, .no_special = true, .kv_cache = cache };
    int exact = 0;
    for (int n = 1; n <= e->data->N_data; n++) {
        Tokens x = e->data->x[n];
        Arena *arena = arena_new();
        tape_clear(tape);
        Tokens y = inference_15(tape, arena, e->data->z[n], theta, &how,
                                NULL);
        exact += y.length == x.length
              && memcmp(y.id, x.id, (size_t)x.length * sizeof *x.id) == 0;
        arena_free(arena);
    }
    return exact;
}

/* Returns the class that most texts of the training data have. */
static int most_frequent_class(const Evaluation *e)
{
    int best = 1, times[MOST_CLASSES + 1] = { 0 };
    for (int n = 1; n <= e->train->N_data; n++)
        times[e->train->c[n]]++;
    for (int c = 2; c <= e->model->theta->hyper.N_C; c++)
        best = times[c] > times[best] ? c : best;
    return best;
}

static void print_classes(const Evaluation *e)
{
    FILE *out = e->command->out;
    int usual = e->train == NULL ? 0 : most_frequent_class(e);
    int right = 0, have_usual = 0, all = e->data->N_data;
    for (int n = 1; n <= all; n++) {
        int best;
        tape_clear(e->command->tape);
        rank_tokens(classify(e->command->tape, e->data->x[n],
                             e->model->theta), 1, &best);
        right += best == e->data->c[n];
        have_usual += usual == e->data->c[n];
    }
    fprintf(out, "%s, right: %d of %d, %.2f %%\n", e->name, right, all,
            100.0 * right / all);
    if (usual > 0)
        fprintf(out, "without a model, always '%s': %d of %d, %.2f %%\n",
                e->model->class_name[usual], have_usual, all,
                100.0 * have_usual / all);
}

bool print_evaluation(const Evaluation *e)
{
    static const char *const units[] = { "token", "masked token", "token",
                                         "text" };
    FILE *out = e->command->out;
    const Task task = e->model->task;
    const int all = e->data->N_data;
    double nats = mean_loss(e->trainer, task, e->data);
    if (e->trainer->diverged)
        return false;
    if (isnan(nats)) {
        fprintf(out, "%s: no token to predict\n", e->name);
        return true;
    }
    fprintf(out, "%s: %.4f nats, %.4f bits a %s, perplexity %.5g\n", e->name,
            nats, nats / log(2), units[task], exp(nats));
    if (task == TRAIN_CLASS) {
        print_classes(e);
    } else if (task == TRAIN_ED) {
        int exact = count_exact_translations(e);
        fprintf(out, "%s, translated exactly: %d of %d, %.2f %%\n", e->name,
                exact, all, 100.0 * exact / all);
    } else if (e->train != NULL) {
        fprintf(out, "without a model, by how often each token occurs: %.4f "
                "bits a token\n", unigram_bits(e));
    }
    return true;
}
