/* The worked sheets, claim by claim, and the sheets of models: what they need,
   what they assume, what they refuse. */
#include "command.h"
#include "sheets.h"
#include "show/show.h"
#include "law.h"

/* Every claim of a worked sheet is compared with the step that is computed. */
static void compare_claim(Where where, const Item *claim, Mat M)
{
    shape_at(where, M, claim->rows, claim->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            double claimed = claim->entry[(i - 1) * M->cols + j - 1].value;
            if (!isnan(claimed) && !is_near(AT(M, i, j), claimed, TIGHT))
                fail_at(where, "%s[%d, %d] is %.17g, but claimed is %.17g",
                        claim->typed, i, j, AT(M, i, j), claimed);
        }
}

/* The run has so many claims, so that none is passed over in silence. */
static void claims_at(Where where, const Reading *r, int claims)
{
    if (r->run == NULL)
        fail_at(where, "%s", r->error.sentence);
    for (int k = 0; k < r->sheet->n; k++) {
        const Item *item = &r->sheet->item[k];
        if (item->claim) {
            compare_claim(where, item, step_for(r->run, item)->M);
            claims--;
        }
    }
    if (claims != 0)
        fail_at(where, "%d claims too few", claims);
}

#define assert_claims(text, claims) \
    claims_at(HERE(#text), reading("text", text, run_it), claims)

LAW(every_worked_sheet_comes_out_after_every_line)
{
    static const struct { const char *name; int claims; } sheets[] = {
        { "alg01", 1 }, { "alg02", 1 }, { "alg03", 5 }, { "alg04", 5 },
        { "alg04-causal", 2 }, { "alg05", 4 }, { "alg06", 3 },
        { "alg06-rms", 2 }, { "alg07", 1 }, { "alg08", 16 },
        { "../hand/solution-8-1", 5 }, { "alg09", 11 }, { "alg10", 9 },
        { "alg11", 9 }, { "alg12", 13 }, { "alg13", 9 }, { "gradient", 12 },
        { "alg14", 7 }, { "alg15", 5 }, { "layout-paper", 6 },
        { "layout-textbook", 6 }, { "layout-torch", 6 },
        { "layout-berkeley", 6 },
    };
    for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
        char path[100];
        snprintf(path, sizeof path, "tests/data/worked/%s.sheet",
                 sheets[k].name);
        claims_at(HERE(sheets[k].name), reading(path, NULL, run_it),
                  sheets[k].claims);
    }
}

/* ----------------------------------------------- sheets that are written here */

#define assert_not_run(text, sentence) refused_at(HERE(#text), text, sentence)
static void refused_at(Where where, const char *text, const char *sentence)
{
    const Reading *r = reading("text", text, run_it);
    if (r->run != NULL)
        fail_at(where, "is not refused");
    if (strcmp(r->error.sentence, sentence) != 0)
        fail_at(where, "%s", r->error.sentence);
}

#define BIGRAMS "We = 1 0 ; 0 1\nWu = 0 0 ; 0 0\n"

/* ------------------------------------------------------------- the places */

LAW(a_model_may_be_written_in_every_layout)
{
    assert_claims("algorithm 13\nlayout textbook\nx = 1 2 3\neta 1\n"
        "epsilon 3/4\nL 0\nWe = 1 0 ; 0 1 ; 1 0\nWu = 2*ln(2) 0 0 ; 0 0 0\n"
        "claim P = 1/2 1/4 1/4 ; 1/5 2/5 2/5 ; 1/2 1/4 1/4\n"
        "claim grad.Wu = 3/20 -23/40 17/40 ; -3/20 23/40 -17/40\n"
        "claim grad.We = 3/8*ln(2) -3/8*ln(2) ; 3/20*ln(2) -3/20*ln(2) ; 0 0\n",
        3);
    assert_claims("algorithm 13\nlayout torch\nx = 1 2 3\neta 1\n"
        "epsilon 3/4\nL 0\nWe = 1 0 ; 0 1 ; 1 0\nWu = 2*ln(2) 0 ; 0 0 ; 0 0\n"
        "claim 10.10 X = 1/2 -1/2 ; -1/2 1/2 ; 1/2 -1/2\n"
        "claim grad.Wu = 3/20 -3/20 ; -23/40 23/40 ; 17/40 -17/40\n", 2);
    assert_claims("algorithm 13\nlayout berkeley\nx = 1 2 3\neta 1\n"
        "epsilon 3/4\nL 0\nWe = 1 0 1 ; 0 1 0\nWu = 2*ln(2) 0 0 ; 0 0 0\n"
        "claim P = 1/2 1/5 1/2 ; 1/4 2/5 1/4 ; 1/4 2/5 1/4\n"
        "claim new.Wu = 2*ln(2)-3/20 23/40 -17/40 ; 3/20 -23/40 17/40\n", 2);
}

LAW(layers_and_heads_are_told_apart)
{
    assert_claims("algorithm 10\nx = 1 2\n" BIGRAMS
        "layer1.Wv^1 = 1 0\nlayer1.Wv^2 = 0 2\nlayer1.Wo = 1 0 ; 0 1\n"
        "layer2.Wv^2 = 1 0\nlayer2.Wo = 0 2 ; 0 0\n"
        "claim layer1.Y^1 = 1 0\nclaim layer1.Y^2 = -2 0\n"
        "claim layer2.Y^1 = 0 0\nclaim layer2.Y^2 = 1 0\n"
        "claim 10.6 layer1.X = 2 0 ; -2 1\nclaim 10.6 layer2.X = 4 0 ; -2 1\n"
        "claim 5.4 layer2.V_tilde = 2 0 ; 0 0\nclaim 10.3 X = 1 0 ; 0 1\n", 8);
}

LAW(the_parts_of_algorithm_8_are_told_apart)
{
    assert_claims("algorithm 8\nz = 1 2\nx = 2 1\n" BIGRAMS
        "enc1.Wv = 4 0\nenc1.Wo = 1 ; 0\ndec1.Wv = 4 0\ndec1.Wo = 1 ; 0\n"
        "ed1.Wv = 8 0\ned1.Wo = 1 ; 0\nbeta1 = 0 3\nbeta_3 = 0 5\n"
        "claim enc1.V = 4 0\nclaim dec1.V = 0 4\nclaim ed1.V = -8 -8\n"
        "claim 8.5 Z = 3 2 ; 0 1\n", 4);
}

LAW(what_is_not_given_is_told)
{
    const Run *run = run_of("algorithm 13\nx = 1 2\nL = 2\neta 1\n"
        BIGRAMS "layer1.Wv = 1 0\nlayer1.Wo = 1 ; 0\n");
    assert_string_equal(run->assumed, "positions = none, N_epochs = 1, epsilon = 0, "
        "gamma_1 = 1, beta_1 = 0, W_q = 0, b_q = 0, W_k = 0, b_k = 0, b_v = 0, "
        "b_o = 0, gamma_2 = 1, beta_2 = 0, W_mlp1 = 0, b_mlp1 = 0, W_mlp2 = 0, "
        "b_mlp2 = 0, layer2.W_v^1 = 0, layer2.W_o = 0, gamma = 1, beta = 0");
    run = run_of("algorithm 10\nx = 1\ntied yes\nell_max 3\n"
                 "positions vaswani\nepsilon 1\nWe = 1 0 ; 0 1\n");
    assert_string_equal(run->assumed, "W_u = W_eᵀ, L = 0, gamma = 1, beta = 0");
}

LAW(names_of_a_model_have_several_spellings)
{
    static const struct {
        const char *typed, *name;
        Part part;
        int layer, head;
    } spelled[] = {
        { "W_{mlp1}", "W_mlp1", NOWHERE, 0, 0 },
        { "enc12.W_q^3", "W_q", ENC, 12, 3 }, { "ed.Wo", "W_o", ED, 0, 0 },
        { "layer2.\\gamma^1", "gamma_1", LAYER, 2, 0 },
        { "dec1.β5", "beta_5", DEC, 1, 0 }, { "x_2", "x", NOWHERE, 0, 2 },
        { "Wq_12", "W_q", NOWHERE, 0, 12 }, { "W^2_k", "W_k", NOWHERE, 0, 2 },
        { "\\tilde{V}", "V_tilde", NOWHERE, 0, 0 }, { "W^Q", "W_q", NOWHERE, 0, 0 },
        { "V\xCC\x83", "V_tilde", NOWHERE, 0, 0 }, { "e^", "e_hat", NOWHERE, 0, 0 }, { "Y^2", "Y", NOWHERE, 0, 2 },
    };
    for (size_t k = 0; k < sizeof spelled / sizeof *spelled; k++) {
        char text[60];
        snprintf(text, sizeof text, "%s = 1\n", spelled[k].typed);
        const Reading *r = reading("text", text, read_it);
        if (r->sheet == NULL)
            fail_at(HERE(spelled[k].typed), "%s", r->error.sentence);
        const Item *item = r->sheet->item;
        assert_string_equal(item->name, spelled[k].name);
        assert_int_equal(item->part, spelled[k].part);
        assert_int_equal(item->layer, spelled[k].layer);
        assert_int_equal(item->head, spelled[k].head);
    }
}

LAW(positions_may_be_computed)
{
    assert_claims("algorithm 10\nx = 1 2\npositions vaswani\nell_max 2\n"
        "epsilon 1\n" BIGRAMS "claim 10.3 X = 1 sin(1) ; 1 1+cos(1)\n", 1);
    assert_claims("algorithm 10\nx = 1 2\npositions paper\nell_max 4\n"
        BIGRAMS "claim 10.3 X = 1+sin(1/4) sin(1/2) ; cos(1/4) 1+cos(1/2)\n", 1);
}

/* -------------------------------------------------- training and inference */

LAW(the_second_step_begins_where_the_first_ended)
{
    assert_claims("algorithm 13\neta = ln(2)\nx_1 = 1 2\nx_2 = 1 2\n" BIGRAMS
        "claim n1.loss = ln(2)\nclaim n2.loss = ln(5/4)\n"
        "claim n2.grad.Wu = 1/5 -1/5 ; -1/5 1/5\n"
        "claim n1.new.Wu = -ln(2)/2 ln(2)/2 ; ln(2)/2 -ln(2)/2\n", 4);
    /* in another epoch as in this one */
    assert_claims("algorithm 13\neta = ln(2)\nx = 1 2\nN_epochs 2\n" BIGRAMS
        "claim n1.loss = ln(2)\nclaim n2.loss = ln(5/4)\n", 2);
    assert_claims("algorithm 12\neta 1\np_mask 1/2\nu = 0.1 0.9\n"
        "x_1 = 3 2\nx_2 = 3\nN_epochs 2\nWe = 1 0 1 ; 0 1 0\n"
        "Wf = 1 0 ; 0 1\nWu = 1 0 ; 0 1 ; 2 0\nclaim n4.x_tilde = 1\n"
        "claim n3.x_tilde = 1 2\n", 2);
}

LAW(nothing_covered_changes_nothing)
{
    assert_claims("algorithm 12\neta 1\np_mask 1/2\nu = 0.5 0.9\nx = 2 3\n"
        "We = 1 0 1 ; 0 1 0\nWf = 1 0 ; 0 1\nWu = 1 0 ; 0 1 ; 2 0\n"
        "claim x_tilde = 2 3\nclaim grad.Wu = 0 0 ; 0 0 ; 0 0\n"
        "claim new.Wu = 1 0 ; 0 1 ; 2 0\n", 3);
}

LAW(each_token_of_algorithm_12_has_its_number)
{
    assert_claims("algorithm 12\neta 1\np_mask 1/2\nu = 0.1 0.9 0.8\n"
        "x = 2 3 3\nWe = 1 0 1 ; 0 1 0\nWf = 1 0 ; 0 1\n"
        "Wu = 1 0 ; 0 1 ; 2 0\nclaim x_tilde = 1 3 3\nclaim T_tilde = 1\n", 2);
    /* and each sequence begins with the first */
    assert_claims("algorithm 12\neta 1\np_mask 1/2\nu = 0.1 0.9 0.9\n"
        "x_1 = 1 4\nx_2 = 1 4 1\nWe = 1 0 1 0 ; 0 1 0 1\n"
        "Wf = 1 0 ; 0 1\nWu = 1 0 ; 0 1 ; 0 0 ; 1 1\n"
        "claim n1.x_tilde = 2 4\nclaim n2.x_tilde = 2 4 1\n", 2);
}

LAW(a_sheet_may_begin_with_a_step)
{
    assert_claims("S_scaled = 0 ln(3) ; 0 0\nV = 1 0 ; 0 1\nalgorithm 4\n"
                  "claim A = 1/2 3/4 ; 1/2 1/4\n", 1);
    assert_claims("layout paper\nscale no\nQ = 1 2\nK = 3 4\nV = 1 1\n"
                  "mask = 0 1 ; 1 1\nclaim 4.4 S_scaled = 3 6 ; 4 8\n", 1);
    assert_claims("algorithm 10\nlayout paper\n10.6 X = 1 ; 2\n"
                  "W_mlp1 = 1 0 ; 0 1\nW_mlp2 = 1 0 ; 0 1\nclaim hidden = -1 ; 1\n", 1);
    assert_not_run("layout paper\nlogits = 1 2 ; 3 4\ntop_p 0.5\n", "text:3:1: "
                   "top_k and top_p keep tokens for one column of logits, and "
                   "here are several.");
    assert_claims("algorithm 6\nlayout paper\ne = 1 2 ; 3 5\ngrad.m = 1 2\n"
                  "claim grad.e = 1/2 1 ; 1/2 1\n", 1);
    assert_not_run("algorithm 6\nlayout paper\ne = 1 2 ; 3 5\ngrad.m = 1 2 ; "
                   "3 4\n", "text:4:1: grad.m is 2 x 2; in layout paper it is "
                   "1 x ell.");
}

LAW(what_is_given_inside_an_encoder_is_as_long_as_z)
{
    assert_claims("algorithm 8\nlayout paper\nz = 1 2\nx = 2\nWe = 1 0 ; 0 1\n"
                  "enc1.A = 1/2 1/2 ; 1/2 1/2\nenc1.V = 4 0\ndec1.A = 1\n"
                  "dec1.V = 3\nclaim enc1.Y = 2 2\nclaim dec1.Y = 3\n", 2);
}

LAW(a_gradient_of_no_head_is_of_all_heads)
{
    assert_claims("algorithm 5\nlayout paper\nY = 1 2\nW_o = 1 ; 3\n"
                  "grad.V_tilde = 1 0 ; 0 1\nclaim grad.Y = 1 3\n", 1);
}

LAW(the_ends_of_tau_are_greedy_and_uniform)
{
    static const char model[] = "algorithm 14\nx = 1\nWe = 1 0 ; 0 1\n"
                                "Wu = 0 0 ; ln(2) 0\n%s";
    char text[200];
    snprintf(text, sizeof text, model, "tau 0\nclaim q = 0 ; 1\nclaim y = 2\n");
    assert_claims(text, 2);
    snprintf(text, sizeof text, model, "tau inf\nu 0.4\nclaim q = 1/2 ; 1/2\n"
             "claim y = 1\n");
    assert_claims(text, 2);
    snprintf(text, sizeof text, model, "u = 0.3 0.4\nell_gen 1\n"
             "claim q = 1/3 ; 2/3\nclaim y = 1\n");
    assert_claims(text, 2);
    snprintf(text, sizeof text, model, "u = 0.3 0.9\nclaim y = 1 2\n");
    assert_claims(text, 1);
}

/* ------------------------------------------------------------ what is shown */

static const char *shown(const char *option, const char *path)
{
    Said s = SAID(show, (char *)(uintptr_t)option, (char *)(uintptr_t)path);
    assert_int_equal(s.status, 0);
    return s.out;
}

LAW(a_model_shows_its_own_lines_or_all)
{
    const char *own = shown("--", "tests/data/worked/alg10.sheet"),
               *all = shown("--all", "tests/data/worked/alg10.sheet");
    assert_int_equal(times(own, "\nAlgorithm"), 7);
    assert_int_equal(times(own, "\nAlgorithm 10"), 7);
    assert_int_equal(times(all, "\nAlgorithm 10"), 7);
    assert_int_equal(times(all, "\nAlgorithm 6, line 3, l = 1"), 2);
    assert_int_equal(times(all, "\nAlgorithm 4, line 6, l = 1, h = 1"), 3);
    assert_that(strstr(own, "line 6, l = 1: X = X + MHAttention(X̃ | W, Mask "
                       "causal)   (3 x 3)\n   2   3   0\n  -2   1  -2\n   0  -1   2\n") != NULL);
    all = shown("--all", "tests/data/worked/alg08.sheet");
    assert_int_equal(times(all, "\nAlgorithm 4, line 4, W^e/d, l = 1, h = 1"), 1);
    assert_int_equal(times(all, "\nAlgorithm 4, line 4, W^enc, l = 1, h = 1"), 1);
    assert_int_equal(times(all, "\nAlgorithm 4, line 4, W^dec, l = 1, h = 1"), 1);
}

LAW(a_step_shows_the_parameters_of_the_sheet_or_all)
{
    const char *own = shown("--", "tests/data/worked/alg11.sheet"),
               *all = shown("--all", "tests/data/worked/alg11.sheet");
    assert_int_equal(times(own, "line 6: ∇"), 20);
    assert_int_equal(times(all, "line 6: ∇"), 45);
    assert_that(strstr(own, "line 6: dec1.gamma_5 ← dec1.gamma_5 - η "
                       "∇dec1.gamma_5   (3 x 1)\n  2.0866\n  1.0000\n  1.0000\n") != NULL);
}

LAW(json_tells_where_a_step_is)
{
    const char *json = shown("--json", "tests/data/worked/alg13.sheet");
    assert_that(strstr(json, "\"line\": 6, \"name\": \"W_u\", \"index\": null, "
                       "\"of\": \"grad\", \"rows\": 3") != NULL);
    assert_that(strstr(json, "\"P\", \"index\": null, \"of\"") == NULL);
    json = shown("--json", "tests/data/worked/alg12.sheet");
    assert_that(strstr(json, "\"line\": 5, \"name\": \"x_tilde\"") != NULL);
    json = shown("--json", "tests/data/worked/alg15.sheet");
    assert_that(strstr(json, "\"line\": 6, \"name\": \"y\"") != NULL);
    json = shown("--json", "tests/data/worked/alg14.sheet");
    assert_that(strstr(json, "\"line\": 4, \"name\": \"p\", \"index\": null, "
                       "\"turn\": 2, \"rows\": 3") != NULL);
    assert_that(strstr(json, "\"algorithm\": 4, \"line\": 6, \"name\": \"A\", "
                       "\"index\": 1, \"turn\": 1, \"part\": \"layer\", "
                       "\"layer\": 1, \"rows\": 2") != NULL);
}

/* ---------------------------------------------------------- what is refused */

LAW(what_would_be_too_large_is_refused_before_it_is_run)
{
    Text *text = text_new();
    add_text(text, "algorithm 10\n" BIGRAMS "Wv = 1 0\nWo = 1 ; 0\nx =");
    for (int t = 0; t < 4000; t++)
        add_text(text, " 1");
    assert_not_run(text->at, "text:1:1: the steps would have more than two million "
                   "entries.");
    assert_not_run("algorithm 10\nx = 1\n" BIGRAMS "L 91\nlayer1.Wq^11 = 1 0\n",
                   "text:1:1: a model has at most 100 attentions, and 1000 "
                   "heads in all of them.");
    assert_claims("algorithm 10\nx = 1\nepsilon 1\n" BIGRAMS
                  "L 100\nlayer1.Wq^10 = 1 0\n", 0);
    assert_claims("algorithm 8\nz = 1\nx = 1\nepsilon 1\n" BIGRAMS
                  "L_enc 98\nL_dec 1\n", 0);
#define OF_SIZE(huge) "layout textbook\nalgorithm 10\n10.6 X = 1 2\n" \
        "W_mlp1 = 0 0 ; 0 " huge "\nW_mlp2 = 0 0 ; 0 -" huge "\n"
    assert_not_run(IS_DOUBLE ? OF_SIZE("1e200") : OF_SIZE("1e30"),
                   "text:2:1: in line 8 of Algorithm 10 entry [1, 2] of X "
                   "becomes too large for the computer; the numbers of the "
                   "sheet must be smaller.");
}

LAW(more_numbers_than_tokens_can_be_drawn_are_refused)
{
    char text[21000] = "algorithm 14\nx = 1\nepsilon 1\n" BIGRAMS "u =";
    for (size_t k = 0, n = strlen(text); k <= 10000; k++)
        memcpy(text + n + 2 * k, " 0", 3);
    assert_not_run(text, "text:1:1: the steps would have more than two million "
                   "entries.");
}

/* Two tokens and few sequences, but a long vector for each token. */
static const char *of_long_vectors(const char *start, int d_e, int sequences)
{
    Text *t = text_new();
    add_text(t, "%slayout textbook\nWe =", start);
    for (int k = 0; k < 2 * d_e; k++)
        add_text(t, k == d_e ? ";0" : " 1");
    add_text(t, "\nWu =");
    for (int k = 0; k < d_e; k++)
        add_text(t, " 0 1%s", k + 1 < d_e ? " ;" : "");
    for (int k = 1; k <= sequences; k++)
        add_text(t, "\nx_%d = 1 1", k);
    return t->at;
}

LAW(long_vectors_are_counted_too)
{
    static const char too_large[] = "text:1:1: the steps would have more than "
                                    "two million entries.";
    const char *of_13 = "algorithm 13\neta 1\nepsilon 1\n";
    assert_claims(of_long_vectors(of_13, 1000, 3), 0);
    assert_not_run(of_long_vectors(of_13, 1000, 200), too_large);
    const char *of_14 = "algorithm 14\nepsilon 1\ntau 0\nell_gen 100\nx = 1\n";
    assert_claims(of_long_vectors(of_14, 10, 0), 0);
    assert_not_run(of_long_vectors(of_14, 200, 0), too_large);
}

/* 0.1 + 0.2 is not 0.3, but the difference is no variance. */
LAW(a_variance_that_rounding_made_is_none)
{
    assert_not_run("algorithm 10\nx = 1\nWe = 0.1 0 ; 0.3 1\nWp = 0.2 ; 0\n"
                   "Wu = 1 0 ; 0 1\n", "text:1:1: v: token 1 has variance 0, "
                   "and line 3 of Algorithm 6 divides by its root; an "
                   "epsilon, such as 'epsilon 1e-5', prevents a division by "
                   "0.");
}
