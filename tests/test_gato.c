/* Gato: patches, the ResNet block, numbers as tokens, what stands in place of
   line 10.2. */
#include "derivatives.h"
#include "learn.h"
#include "oracle/vision.h"
#include "scenes.h"

/* ---------------------------------------------------------------- patches */

/* A pixel that says where it is: its row, its column, and 7. */
static Image telling_image(int height, int width)
{
    unsigned char *rgb = arena_alloc(arena, (size_t)(height * width) * 3);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            memcpy(rgb + 3 * (i * width + j),
                   (unsigned char[]){ (unsigned char)i, (unsigned char)j, 7 },
                   3);
    return (Image){ height, width, rgb };
}

static double pixel(int byte, int side)
{
    return (byte / 255.0 * 2 - 1) / sqrt(side);
}

static void patches_come_in_raster_order_and_so_do_their_pixels(void **state)
{
    (void)state;
    const Image image[] = { telling_image(4, 6), telling_image(2, 4) };
    Mat X = patches(tape, 2, image, 2);
    assert_shape(X, 3, (6 + 2) * 4);
    int j = 1;
    for (int k = 0; k < 2; k++)
        for (int top = 0; top < image[k].height; top += 2)
            for (int left = 0; left < image[k].width; left += 2)
                for (int at = 0; at < 4; at++, j++) {
                    assert_near(AT(X, 1, j), pixel(top + at / 2, 2), TIGHT);
                    assert_near(AT(X, 2, j), pixel(left + at % 2, 2), TIGHT);
                    assert_near(AT(X, 3, j), pixel(7, 2), TIGHT);
                }
}

static void black_is_minus_1_and_full_is_1_over_the_root_of_the_side(
    void **state)
{
    (void)state;
    unsigned char rgb[16 * 16 * 3] = { 0, 255, 51 };
    Mat X = patches(tape, 1, &(Image){ 16, 16, rgb }, 16);
    assert_near(AT(X, 1, 1), -0.25, TIGHT);
    assert_near(AT(X, 2, 1), 0.25, TIGHT);
    assert_near(AT(X, 3, 1), -0.15, TIGHT);
    assert_that(patch_count(&(Image){ 224, 224, NULL }, 16) == 196);
}

/* ------------------------------------------------------------- operations */

static void a_convolution_by_hand(void **state)
{
    (void)state;
    Mat X = given(1, 4, ROWS(1, 2, 3, 4));
    Mat W = learned(1, 9, ROWS(0, 0, 0, 0, 1, 10, 0, 100, 0));
    assert_rows(affine(W, neighbours(tape, X, 2), NULL), 1, 4, TIGHT,
                321, 402, 43, 4);
    Mat from_above = learned(1, 9, ROWS(1, 10, 100, 1000, 0, 0, 0, 0, 0));
    assert_rows(affine(from_above, neighbours(tape, X, 2), NULL), 1, 4,
                TIGHT, 0, 1000, 210, 3021);
}

static void a_group_norm_by_hand(void **state)
{
    (void)state;
    Mat X = given(2, 4, ROWS(1, 2, 3, 4, 10, 10, 10, 10));
    const double d = 1 / sqrt(1.25 + 1e-5);
    assert_rows(group_norm(X, 2, 2), 2, 4, TIGHT,
                -1.5 * d, -.5 * d, .5 * d, 1.5 * d, 0, 0, 0, 0);
    Mat together = given(2, 1, ROWS(1, 3));
    const double e = 1 / sqrt(1 + 1e-5);
    assert_rows(group_norm(together, 1, 1), 2, 1, TIGHT, -e, e);
}

/* A result without one patch is the result of the others. */
static void no_patch_sees_another(void **state)
{
    (void)state;
    const int second[] = { 5, 6, 7, 8 };
    Mat X = random_input(4, 12), alone = columns_of(X, 4, second);
    assert_same(columns_of(neighbours(tape, X, 2), 4, second),
                neighbours(tape, alone, 2), 0);
    assert_same(columns_of(group_norm(X, 2, 2), 4, second),
                group_norm(alone, 2, 2), 0);
}

static void flattened_puts_pixel_upon_pixel(void **state)
{
    (void)state;
    Mat X = random_input(3, 8), Y = flattened(X, 2);
    assert_shape(Y, 12, 2);
    for (int j = 1; j <= 8; j++)
        for (int i = 1; i <= 3; i++)
            assert_that(AT(Y, 3 * ((j - 1) % 4) + i, 1 + (j - 1) / 4)
                        == AT(X, i, j));
}

static void placed_replaces_these_columns_and_no_others(void **state)
{
    (void)state;
    Mat X = random_input(2, 5), E = random_input(2, 2);
    Mat Y = placed(X, TOKENS(2, 5), E);
    for (int i = 1; i <= 2; i++)
        for (int t = 1; t <= 5; t++)
            assert_that(AT(Y, i, t) == (t == 2 ? AT(E, i, 1)
                                      : t == 5 ? AT(E, i, 2) : AT(X, i, t)));
}

static Mat about_each(const Mat of[]) { return neighbours(tape, of[0], 3); }
static Mat normed(const Mat of[])     { return group_norm(of[0], 2, 2); }
static Mat flat(const Mat of[])       { return flattened(of[0], 2); }
static Mat into_places(const Mat of[])
{
    return placed(of[0], TOKENS(1, 3, 4), of[1]);
}

static void derivatives_are_differences(void **state)
{
    (void)state;
    Mat image[] = { random_parameter(2, 18) };
    Mat groups[] = { random_parameter(4, 8) };
    Mat both[] = { random_parameter(2, 5), random_parameter(2, 3) };
    assert_derivatives(about_each, 1, image, 1);
    assert_derivatives(normed, 1, groups, 1);
    assert_derivatives(flat, 1, groups, 1);
    assert_derivatives(into_places, 2, both, 3);
    assert_gradients_apart(about_each, 1, image, 1);
    assert_gradients_apart(normed, 1, groups, 1);
    assert_gradients_apart(flat, 1, groups, 1);
    assert_gradients_apart(into_places, 2, both, 3);
}

/* ------------------------------------------------------------- small models */

enum { SMALL_TEXT = 5, SMALL_BINS = 8, SMALL_N_V = SMALL_TEXT + SMALL_BINS + 3,
       MASK = SMALL_N_V - 2, BOS = SMALL_N_V - 1, EOS = SMALL_N_V };

static Hyperparameters small_hyper(void)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.N_V = SMALL_N_V;
    hyper.ell_max = 9;
    hyper.epsilon = 1e-5;
    return hyper;
}

static const Vision small_vision = {
    .N_text = SMALL_TEXT, .bins = SMALL_BINS, .side = 2, .channels = 4,
    .groups = 2, .places = 4
};

static void random_numbers_for(Theta *theta)
{
    theta_allocate(theta, arena);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = randomise(*theta->parameter[k].place);
        if (theta->parameter[k].symbol[0] == 'g')
            for (size_t e = 0; e < entries_in(M); e++)
                M->at[e] = 1 + M->at[e] / 2;
    }
    ready(theta);
}

static Gato *gato_with(bool places)
{
    Hyperparameters hyper = small_hyper();
    hyper.positions = places ? LEARNED : NO_POSITIONS;
    Gato *model = gato_new(arena, &hyper, &small_vision);
    random_numbers_for(model->theta);
    return model;
}

static Gato *small_gato(void)
{
    return gato_with(true);
}

/* Text, a number, two patches, text, a patch, an end. */
static Scene small_scene(void)
{
    static const int id[] = { 2, SMALL_TEXT + 3, MASK, MASK, 4, MASK, 1,
                              SMALL_TEXT + 8, EOS };
    Image *image = arena_alloc(arena, 2 * sizeof *image);
    unsigned char *rgb = arena_alloc(arena, 100);
    for (int k = 0; k < 100; k++)
        rgb[k] = (unsigned char)pick(0, 255);
    image[0] = (Image){ 2, 4, rgb };
    image[1] = (Image){ 2, 2, rgb + 24 };
    return (Scene){ { 9, id }, 2, image, false };
}

static const int small_text[] = { 1, 2, 5, 7, 8, 9 };
static const int small_patch[] = { 3, 4, 6 };

static void its_parameters_stand_behind_those_of_algorithm_10(void **state)
{
    (void)state;
    Gato *model = small_gato();
    Hyperparameters hyper = small_hyper();
    Theta *plain = theta_new(arena, &hyper);
    const Theta *theta = model->theta;
    const int c = 4, d_e = 4, block = 28 * c + 2 * (2 * c + 9 * c * c + c);
    assert_that(theta->n == plain->n + 14);
    assert_that(theta_count(theta) == theta_count(plain) + block
                + d_e * (c * 4 + 1) + 2 * d_e * 4);
    for (int k = 1; k <= plain->n; k++)
        assert_that(strcmp(theta->parameter[k].name,
                           plain->parameter[k].name) == 0);
    for (int k = 1; k <= theta->n; k++)
        for (int other = 1; other < k; other++)
            assert_that(strcmp(theta->parameter[k].name,
                               theta->parameter[other].name) != 0
                        && theta->parameter[k].place
                           != theta->parameter[other].place);
    assert_that(mat(theta, "patch.W_1") == model->W_1
                && mat(theta, "patch.b_2") == model->b_2
                && mat(theta, "patch.W_col") == model->W_col);
}

/* ------------------------------------------------------------------ oracle */

static void the_block_is_that_of_pytorch(void **state)
{
    (void)state;
    const Image image[] = { { 4, 8, vision_image_1 },
                            { 8, 12, vision_image_2 } };
    const Vision vision = { .N_text = 1, .side = 4, .channels = 6,
                            .groups = 3, .places = 7 };
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.N_V = 4;
    hyper.H = 1;
    hyper.d_e = 5;
    Gato *g = gato_new(arena, &hyper, &vision);
    theta_allocate(g->theta, arena);
    const struct { Mat M; const double *value, *gradient; } recorded[] = {
        { g->W_0, vision_W_0, vision_d_W_0 },
        { g->b_0, vision_b_0, vision_d_b_0 },
        { g->gamma_1, vision_gamma_1, vision_d_gamma_1 },
        { g->beta_1, vision_beta_1, vision_d_beta_1 },
        { g->W_1, vision_W_1, vision_d_W_1 },
        { g->b_1, vision_b_1, vision_d_b_1 },
        { g->gamma_2, vision_gamma_2, vision_d_gamma_2 },
        { g->beta_2, vision_beta_2, vision_d_beta_2 },
        { g->W_2, vision_W_2, vision_d_W_2 },
        { g->b_2, vision_b_2, vision_d_b_2 },
        { g->W_v, vision_W_v, vision_d_W_v },
        { g->b_v, vision_b_v, vision_d_b_v },
        { g->W_row, vision_W_row, vision_d_W_row },
        { g->W_col, vision_W_col, vision_d_W_col },
    };
    enum { N = sizeof recorded / sizeof *recorded };
    for (int k = 0; k < N; k++)
        fill(recorded[k].M, recorded[k].value);
    theta_clear_gradient(g->theta);
    Mat E = see_patches(tape, 2, image, g, NULL);
    assert_recorded(E, 5, 8, vision_E);
    backward(against(E, given(5, 8, vision_G)));
    for (int k = 0; k < N; k++)
        assert_gradient(recorded[k].M, RECORDED, recorded[k].gradient);
}

/* ---------------------------------------------------- in place of line 10.2 */

/* What line 10.3 names, behind all others that look on. */
typedef struct { Mat X; } First;

static Mat note_first(void *to, const char *line, const char *name, Mat M,
                      int index)
{
    First *first = to;
    (void)name, (void)index;
    if (M != NULL && strcmp(line, "10.5") == 0 && first->X == NULL)
        first->X = M;
    return M;
}

/* Xt of the first layer tells X: it is its norm. */
static Mat first_norm(const Scene *scene, const Gato *model)
{
    First first = { NULL };
    observe(tape, note_first, &first);
    gato(tape, scene, model, NULL);
    unobserve(tape);
    return first.X;
}

static void text_and_numbers_are_embedded_as_printed_and_patches_by_the_block(
    void **state)
{
    (void)state;
    for (int places = 0; places < 2; places++) {
        Gato *model = gato_with(places);
        const Theta *theta = model->theta;
        Scene scene = small_scene();
        const Layer *w = &theta->layer[1];
        Mat X = first_norm(&scene, model);
        Mat printed = layer_norm(embeddings(tape, scene.x, theta),
                                 w->gamma_1, w->beta_1);
        assert_same(columns_of(X, 6, small_text),
                    columns_of(printed, 6, small_text), 0);
        Mat E = see_patches(tape, 2, scene.image, model, NULL);
        if (places)
            E = add(E, gather(tape, theta->W_p, 3, small_patch));
        assert_same(columns_of(X, 3, small_patch),
                    layer_norm(E, w->gamma_1, w->beta_1), TIGHT);
    }
}

static void without_images_it_is_algorithm_10(void **state)
{
    (void)state;
    Gato *model = small_gato();
    const Scene scene = { TOKENS(2, SMALL_TEXT + 1, 3, EOS), 0, NULL, false };
    assert_same(gato(quiet, &scene, model, NULL),
                dtransformer(quiet, scene.x, model->theta), 0);
}

static void what_is_seen_is_known_from_its_patch_on(void **state)
{
    (void)state;
    Gato *model = small_gato();
    Scene scene = small_scene();
    Mat P = gato(quiet, &scene, model, NULL);
    unsigned char other[12];
    memcpy(other, scene.image[1].rgb, sizeof other);
    other[7] ^= 128;
    const Image image[] = { scene.image[0], { 2, 2, other } };
    scene.image = image;
    Mat Q = gato(quiet, &scene, model, NULL);
    for (int t = 1; t <= 9; t++)
        assert_that((AT(P, 1, t) == AT(Q, 1, t)) == (t < 6));
}

/* Of n places in k equal parts. */
static void a_place_is_drawn_from_its_part_or_is_its_middle(void **state)
{
    (void)state;
    Hyperparameters hyper = small_hyper();
    Vision vision = small_vision;
    vision.places = 10;
    Gato *g = gato_new(arena, &hyper, &vision);
    theta_allocate(g->theta, arena);            /* all numbers are 0 */
    for (int place = 1; place <= 10; place++) {
        AT(g->W_row, 1, place) = (real)place;
        AT(g->W_col, 2, place) = (real)place;
    }
    const Image image = telling_image(6, 4);
    Mat E = see_patches(tape, 1, &image, g, NULL);
    assert_rows(E, 4, 6, 0, 2, 2, 5, 5, 9, 9, 3, 8, 3, 8, 3, 8,
                                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    static const int first[] = { 1, 4, 7 }, last[] = { 3, 6, 10 };
    int drawn[11] = { 0 };
    Random random = random_new(1);
    for (int n = 0; n < 50; n++) {
        tape_clear(quiet);
        E = see_patches(quiet, 1, &image, g, &random);
        for (int k = 0; k < 6; k++) {
            const int row = (int)AT(E, 1, k + 1), col = (int)AT(E, 2, k + 1);
            assert_that(first[k / 2] <= row && row <= last[k / 2]);
            assert_that(1 + k % 2 * 5 <= col && col <= 5 + k % 2 * 5);
            drawn[row]++;
        }
    }
    for (int place = 1; place <= 10; place++)
        assert_that(drawn[place] > 0);
    const Image high = telling_image(22, 2);    /* more parts than places */
    E = see_patches(tape, 1, &high, g, NULL);
    for (int k = 1; k <= 11; k++)
        assert_near(AT(E, 1, k), k == 1 ? 1 : k - 1, 0);
}

/* --------------------------------------------------------------- the loss */

static double text_loss(const Scene *scene, const Gato *model)
{
    tape_clear(quiet);
    Mat P = gato(quiet, scene, model, NULL);
    double loss = 0;
    for (int t = 1; t < scene->x.length; t++) {
        const int next = TOKEN(scene->x, t + 1);
        const bool number = next > SMALL_TEXT && next < MASK;
        if (next != MASK && (!number || scene->acts))
            loss -= log(AT(P, next, t));
    }
    return loss;
}

static Mat loss_on(Lane *lane, const Scene *scene, const Gato *model)
{
    *lane = (Lane){ .tape = tape, .theta = model->theta,
                    .random = random_new(1) };
    const Scene list[] = { { .images = 0 }, *scene };
    const Scenes all = { { .N_data = 1 }, model, list };
    return loss_gato(lane, &all.data, 1);
}

static void only_text_is_learned_and_numbers_that_are_done(void **state)
{
    (void)state;
    Hyperparameters hyper = small_hyper();
    Vision vision = small_vision;
    vision.places = 1;                          /* nothing to draw */
    Gato *model = gato_new(arena, &hyper, &vision);
    random_numbers_for(model->theta);
    Scene scene = small_scene();
    Lane lane;
    Mat loss = loss_on(&lane, &scene, model);
    assert_near(AT(loss, 1, 1), text_loss(&scene, model), TIGHT);
    assert_that(lane.tokens == 3);              /* 4, 1 and the end */
    scene.acts = true;
    loss = loss_on(&lane, &scene, model);
    assert_near(AT(loss, 1, 1), text_loss(&scene, model), TIGHT);
    assert_that(lane.tokens == 5);              /* and two numbers */
    scene.x = (Tokens){ 7, (const int[]){ BOS, MASK, MASK, MASK, 2, BOS, 3 } };
    loss_on(&lane, &scene, model);
    assert_that(lane.tokens == 2);              /* nobody says bos */
}

/* Of every parameter some entries. */
static void its_gradient_is_a_difference(void **state)
{
    (void)state;
    Hyperparameters hyper = small_hyper();
    Vision vision = small_vision;
    vision.places = 1;
    Gato *model = gato_new(arena, &hyper, &vision);
    random_numbers_for(model->theta);
    const Theta *theta = model->theta;
    Scene scene = small_scene();
    Lane lane;
    theta_clear_gradient(theta);
    backward(loss_on(&lane, &scene, model));
    const real h = (real)(IS_DOUBLE ? 1e-5 : 1e-2);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e += 1 + entries_in(M) / 3) {
            const real before = M->at[e];
            M->at[e] = before + h;
            const double right = text_loss(&scene, model);
            M->at[e] = before - h;
            const double left = text_loss(&scene, model);
            M->at[e] = before;
            assert_near(M->grad[e], (right - left) / (2 * (double)h),
                        IS_DOUBLE ? 1e-7 : 2e-2);
        }
    }
    for (int i = 1; i <= 4; i++)                /* nobody reads it */
        assert_that(theta->W_e->grad[(MASK - 1) * 4 + i - 1] == 0);
}

/* ------------------------------------------------------------ training, use */

static void training(Gato *model, const Scenes *scenes, Training how,
                     Diary *diary)
{
    Trainer *trainer = trainer_new(arena, model->theta, &how);
    trainer->follow = keep;
    trainer->to = diary;
    trainer_run(trainer, loss_gato, &scenes->data);
    trainer_free(trainer);
}

static Gato *little_model(void)
{
    const Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .N_V = N_TEXT + 3, .ell_max = 14,
        .L = 1, .H = 2, .d_e = 16, .d_mlp = 16, .epsilon = 1e-5
    };
    const Vision vision = { .N_text = N_TEXT, .side = SIDE, .channels = 4,
                            .groups = 2, .places = 3 };
    Gato *model = gato_new(arena, &hyper, &vision);
    Random random = random_new(5);
    theta_allocate(model->theta, arena);
    theta_initialise(model->theta, XAVIER, &random);
    ready(model->theta);
    return model;
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    const Training how = { .N_epochs = 1, .eta = 1e-2, .batch = 2,
                           .method = ADAM, .seed = 3 };
    real *learned[2] = { NULL };
    for (int k = 0; k < 2; k++) {
        Gato *model = little_model();
        Random random = random_new(6);
        Scenes scenes = draw_scenes(arena, model, 4, false, &random);
        Training with = how;
        Diary diary = { 0 };
        with.threads = 1 + k;
        training(model, &scenes, with, &diary);
        learned[k] = numbers(model->theta);
        if (k == 1)
            assert_same_numbers(model->theta, learned[0]);
    }
}

static void a_little_gato_says_what_it_sees(void **state)
{
    (void)state;
    Gato *model = little_model();
    Random random = random_new(7);
    Scenes scenes = draw_scenes(arena, model, 4, false, &random);
    Diary diary = { 0 };
    training(model, &scenes, (Training){ .N_epochs = 40, .eta = 2e-2,
                                         .batch = 2, .method = ADAM,
                                         .mean = true, .clip = 1 }, &diary);
    assert_that(diary.step[diary.n - 1].loss < diary.step[0].loss / 10);
    Memory *memory = memory_new(arena, quiet, model->theta);
    for (int n = 1; n <= 4; n++) {
        Tokens said;
        assert_that(caption_is_right(quiet, arena, model, &scenes.scene[n],
                                     memory, &said));
    }
}

static void kept_keys_and_values_say_the_same(void **state)
{
    (void)state;
    Gato *model = small_gato();
    Scene scene = small_scene();
    scene.x = slice(scene.x, 1, 6);
    Random random = random_new(1), again = random_new(1);
    Inference how = { .ell_gen = 4, .tau = 1, .random = &random };
    Tokens plain = gato_inference(quiet, arena, &scene, model, &how);
    tape_clear(quiet);
    how.memory = memory_new(arena, quiet, model->theta);
    how.random = &again;
    assert_same_tokens(gato_inference(quiet, arena, &scene, model, &how),
                       plain);
}

/* ------------------------------------------------------------ numbers */

static const Vision usual = { .N_text = 32000, .bins = 1024 };

static void mu_law_has_these_values(void **state)
{
    (void)state;
    assert_near(mu_law(0), 0, 1e-15);
    assert_near(mu_law(256), 1, 1e-15);
    assert_near(mu_law(1), log(101) / log(25601), 1e-15);
    assert_near(mu_law(-1), -0.45467, 1e-5);
    assert_near(mu_law(0.01), log(2) / log(25601), 1e-15);
    assert_that(mu_law(1e30) == 1 && mu_law(-INFINITY) == -1);
}

static void mu_law_rises_and_goes_back(void **state)
{
    (void)state;
    double before = -1;
    for (int k = -255; k <= 256; k++) {
        const double y = mu_law(k), back = mu_law_back(y);
        assert_that(y > before);
        assert_near(back, k, 1e-12);
        before = y;
    }
}

static void a_token_stands_for_the_middle_of_its_bin(void **state)
{
    (void)state;
    assert_that(number_token(-1e9, &usual) == 32001);
    assert_that(number_token(-256, &usual) == 32001);
    assert_that(number_token(0, &usual) == 32513);
    assert_that(number_token(-1e-9, &usual) == 32512);
    assert_that(number_token(256, &usual) == 33024);
    for (int token = 32001; token <= 33024; token++) {
        const double y = mu_law(number_of_token(token, &usual));
        assert_that(number_token(number_of_token(token, &usual), &usual)
                    == token);
        assert_near(y, (2.0 * (token - 32000) - 1) / 1024 - 1, 1e-12);
    }
    for (int n = 0; n < 500; n++) {
        const double x = pow(10, 2 * random_number()) * random_number();
        const int token = number_token(x, &usual);
        assert_that(fabs(mu_law(number_of_token(token, &usual)) - mu_law(x))
                    <= (1 + 1e-9) / 1024);
    }
}

/* ------------------------------------------------------------ refusals */

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    Gato *model = small_gato();
    const Image odd = telling_image(4, 6);
    assert_refuses_in(patch_count(&odd, 4), "gato.c", "patch_count",
                      "an image of 4 x 6 pixels is not filled by patches of "
                      "4 x 4.");
    assert_refuses_in(patch_count(&odd, 0), "gato.c", "patch_count",
                      "an image of 4 x 6 pixels is not filled by patches of "
                      "0 x 0.");
    assert_refuses_in(patch_count(&(Image){ 0, 4, NULL }, 4), "gato.c",
                      "patch_count", "an image of 0 x 4 pixels is not filled "
                      "by patches of 4 x 4.");
    Mat X = random_input(4, 8);
    assert_refuses_in(neighbours(tape, X, 3), "gato.c", "patches_in",
                      "8 pixels are not patches of 3 x 3.");
    assert_refuses_in(group_norm(X, 3, 2), "gato.c", "group_norm",
                      "4 channels are not 3 equal groups.");
    assert_refuses_in(group_norm(X, 0, 2), "gato.c", "group_norm",
                      "4 channels are not 0 equal groups.");
    Mat E = random_input(4, 2), other = random_input(3, 2);
    assert_refuses_in(placed(X, TOKENS(2, 2), E), "gato.c", "placed",
                      "place 2 is 2; places must rise, in 1 ... 8.");
    assert_refuses_in(placed(X, TOKENS(0, 2), E), "gato.c", "placed",
                      "place 1 is 0; places must rise, in 1 ... 8.");
    assert_refuses_in(placed(X, TOKENS(2, 9), E), "gato.c", "placed",
                      "place 2 is 9; places must rise, in 1 ... 8.");
    assert_refuses_in(placed(X, TOKENS(2), E), "gato.c", "placed",
                      "1 places of a matrix of 4 rows for the columns of one "
                      "of 4 x 2.");
    assert_refuses_in(placed(X, TOKENS(2, 3), other), "gato.c", "placed",
                      "2 places of a matrix of 4 rows for the columns of one "
                      "of 3 x 2.");
    Scene scene = small_scene();
    scene.images = 1;
    assert_refuses_in(gato(tape, &scene, model, NULL), "gato.c",
                      "instead_of_line_2",
                      "x has 3 mask_tokens and the images have 2 patches.");
    unobserve(tape);
    Inference how = { .ell_gen = 1, .slide = 1 };
    assert_refuses_in(gato_inference(quiet, arena, &scene, model, &how).length,
                      "gato.c", "gato_inference",
                      "patches cannot leave the front.");
    assert_refuses_in(number_token(NAN, &usual), "gato.c", "number_token",
                      "what is not a number has no token.");
    assert_refuses_in(number_of_token(32000, &usual), "gato.c",
                      "number_of_token", "token 32000 is no number.");
    assert_refuses_in(number_of_token(33025, &usual), "gato.c",
                      "number_of_token", "token 33025 is no number.");
    assert_refuses_in(group_norm(constant(arena, 4, 8), 2, 2), "gato.c",
                      "group_norm", "X is on no tape.");
    const Vision none = { .N_text = 3 };
    assert_refuses_in(number_token(1, &none), "gato.c", "number_token",
                      "there are no bins for numbers.");
}

static void the_least_and_the_most_that_is_allowed(void **state)
{
    (void)state;
    const Vision allowed[] = { { 1, 0, 1, 1, 1, 1 },
                               { 1, 0, 1000, 1000, 1000, 100000 } };
    Hyperparameters hyper = small_hyper();
    hyper.N_V = 4;
    for (int k = 0; k < 2; k++)
        assert_that(gato_new(arena, &hyper, &allowed[k]) != NULL);
    const Vision one = { .N_text = 3, .bins = 1 };
    assert_that(number_token(-2, &one) == 4 && number_token(2, &one) == 4);
    assert_near(number_of_token(4, &one), 0, 0);
}

static void hyperparameters_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    Hyperparameters hyper = small_hyper(), both = hyper;
    Vision vision = small_vision;
    both.architecture = E_TRANSFORMER;
    assert_refuses_in(gato_new(arena, &both, &vision), "gato.c",
                      "refuse_wrong_vision", "Gato is Algorithm 10.");
    vision.bins++;
    assert_refuses_in(gato_new(arena, &hyper, &vision), "gato.c",
                      "refuse_wrong_vision", "N_V is 16; with 5 tokens of text "
                      "and 9 bins it must be 17.");
    vision = small_vision;
    vision.groups = 3;
    assert_refuses_in(gato_new(arena, &hyper, &vision), "gato.c",
                      "refuse_wrong_vision",
                      "4 channels are not 3 equal groups.");
    const Vision wrong[] = {
        { 5, 8, 0, 4, 2, 4 }, { 5, 8, 1001, 4, 2, 4 }, { 5, 8, 2, 0, 2, 4 },
        { 5, 8, 2, 1001, 1, 4 }, { 5, 8, 2, 4, 2, 0 }, { 5, 8, 2, 4, 2, 100001 }
    };
    for (int k = 0; k < 6; k++)
        assert_refuses_in(gato_new(arena, &hyper, &wrong[k]), "gato.c",
                          "refuse_wrong_vision", "side and channels must be "
                          "in 1 ... 1000, places in 1 ... 100000.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(patches_come_in_raster_order_and_so_do_their_pixels),
        TEST(black_is_minus_1_and_full_is_1_over_the_root_of_the_side),
        TEST(a_convolution_by_hand),
        TEST(a_group_norm_by_hand),
        TEST(no_patch_sees_another),
        TEST(flattened_puts_pixel_upon_pixel),
        TEST(placed_replaces_these_columns_and_no_others),
        TEST(derivatives_are_differences),
        TEST(its_parameters_stand_behind_those_of_algorithm_10),
        TEST(the_block_is_that_of_pytorch),
        TEST(text_and_numbers_are_embedded_as_printed_and_patches_by_the_block),
        TEST(without_images_it_is_algorithm_10),
        TEST(what_is_seen_is_known_from_its_patch_on),
        TEST(a_place_is_drawn_from_its_part_or_is_its_middle),
        TEST(only_text_is_learned_and_numbers_that_are_done),
        TEST(its_gradient_is_a_difference),
        TEST(threads_do_not_change_a_byte),
        TEST(a_little_gato_says_what_it_sees),
        TEST(kept_keys_and_values_say_the_same),
        TEST(mu_law_has_these_values),
        TEST(mu_law_rises_and_goes_back),
        TEST(a_token_stands_for_the_middle_of_its_bin),
        TEST(what_does_not_fit_is_refused),
        TEST(the_least_and_the_most_that_is_allowed),
        TEST(hyperparameters_that_do_not_fit_are_refused),
    };
    return RUN(laws);
}
