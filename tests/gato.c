/* A small Gato says what it sees: it is trained on images that are drawn by
   rule, with their captions, and asked about new ones. It fails if less is
   right than is wanted.                                       make gato */
#include "scenes.h"
#include <time.h>

enum { N_TRAIN = 18000, N_NEW = 1000, EPOCHS = 2 };

static Gato *new_model(Arena *arena)
{
    const Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .N_V = N_TEXT + 3, .ell_max = 16,
        .L = 2, .H = 4, .d_e = 64, .d_mlp = 128, .epsilon = 1e-5
    };
    const Vision vision = { .N_text = N_TEXT, .side = SIDE, .channels = 8,
                            .groups = 4, .places = 128 };
    Gato *model = gato_new(arena, &hyper, &vision);
    Random random = random_new(1);
    theta_allocate(model->theta, arena);
    theta_initialise(model->theta, XAVIER, &random);
    return model;
}

typedef struct { double loss; long long tokens; clock_t began; } Told;

static bool tell(void *to, const Progress *step)
{
    Told *told = to;
    told->loss += step->loss;
    told->tokens += step->tokens;
    if (step->step % 250 == 0) {
        fprintf(stderr, "step %lld: %.4f nats a word, %.0f s\n", step->step,
                told->loss / (double)told->tokens,
                (double)(clock() - told->began) / CLOCKS_PER_SEC);
        told->loss = 0;
        told->tokens = 0;
    }
    return true;
}

static void train(Arena *arena, Gato *model, const Scenes *scenes)
{
    const Training how = {
        .N_epochs = EPOCHS, .eta = 1e-3, .seed = 1, .shuffle = true,
        .batch = 4, .mean = true, .threads = 1, .method = ADAMW,
        .schedule = COSINE, .warm_up = 100, .clip = 1, .decay = 0.01
    };
    Told told = { .began = clock() };
    Trainer *trainer = trainer_new(arena, model->theta, &how);
    trainer->follow = tell;
    trainer->to = &told;
    trainer_run(trainer, loss_gato, &scenes->data);
    printf("trained on %d images, %d times: %.0f s on one thread\n",
           N_TRAIN, EPOCHS, (double)(clock() - told.began) / CLOCKS_PER_SEC);
    trainer_free(trainer);
}

static void print_caption(Tokens said)
{
    for (int t = 1; t <= said.length && TOKEN(said, t) <= N_TEXT; t++)
        printf(" %s", word_of[TOKEN(said, t)]);
}

/* How many of five words are those of the caption. */
static int right_words(Tokens said, const Scene *scene)
{
    int right = 0;
    for (int t = 1; t <= CAPTION && t <= said.length; t++)
        right += TOKEN(said, t) == TOKEN(scene->x, 1 + PATCHES + t);
    return right;
}

static void tell_mistake(Tokens said, const Scene *scene)
{
    printf("  said:");
    print_caption(said);
    printf("; is:");
    print_caption(slice(scene->x, 2 + PATCHES, 1 + PATCHES + CAPTION));
    printf("\n");
}

/* The per cent of captions that are right; three of the others are told. */
static double judge(const char *what, const Scenes *scenes)
{
    const int N = scenes->data.N_data;
    const Gato *model = scenes->gato;
    Arena *arena = arena_new();
    Tape *tape = tape_new(false);
    prepare_tape(arena, tape, model->theta);
    Memory *memory = memory_new(arena, tape, model->theta);
    int right = 0, words = 0;
    printf("\n%s\n", what);
    for (int n = 1; n <= N; n++) {
        const Scene *scene = &scenes->scene[n];
        Tokens said;
        if (caption_is_right(tape, arena, model, scene, memory, &said))
            right++;
        else if (n - right <= 3)
            tell_mistake(said, scene);
        words += right_words(said, scene);
        tape_clear(tape);
    }
    printf("right: %.1f %% of %d captions, %.1f %% of their words\n",
           100.0 * right / N, N, 100.0 * words / (CAPTION * N));
    tape_free(tape);
    arena_free(arena);
    return 100.0 * right / N;
}

int main(void)
{
    Arena *arena = arena_new();
    Random random = random_new(2);
    Gato *model = new_model(arena);
    printf("%lld parameters\n", theta_count(model->theta));
    Scenes known = draw_scenes(arena, model, N_TRAIN, false, &random);
    Scenes new = draw_scenes(arena, model, N_NEW, false, &random);
    Scenes unseen = draw_scenes(arena, model, N_NEW, true, &random);
    train(arena, model, &known);
    const double of_new = judge("new images", &new);
    const double of_unseen = judge("captions that it has never read",
                                   &unseen);
    arena_free(arena);
    return of_new < 90 || of_unseen < 80;
}
