/* Images drawn by rule, with their captions: "two small red circles left".
   One to three shapes of one kind stand in one half of a grey image. */
#ifndef SCENES_H
#define SCENES_H
#include "gato.h"
#include <stdlib.h>
#include <string.h>

enum { HIGH = 32, WIDE = 48, N_TEXT = 21, CAPTION = 5, SIDE = 16,
       PATCHES = HIGH / SIDE * (WIDE / SIDE), NEAREST = 2 };

static const char *const word_of[N_TEXT + 1] = {
    "", "one", "two", "three", "small", "large",
    "red", "green", "blue", "yellow", "violet", "cyan",
    "circle", "square", "triangle", "cross",
    "circles", "squares", "triangles", "crosses", "left", "right"
};

/* What there is to say, each counted from 0. */
typedef struct { int count, size, colour, shape, half; } Meaning;

/* A scene with room for its image and its tokens. */
typedef struct {
    Meaning meaning;
    unsigned char rgb[HIGH * WIDE * 3];
    int id[1 + PATCHES + CAPTION + 1];
    Image image;
} Drawn;

/* Each shape is kept from one colour, so that there are pairs of the two
   that nobody has seen: cyan triangles, though other triangles, and other
   things that are cyan. */
static inline bool is_kept_back(Meaning m)
{
    return (m.colour + m.shape) % 6 == 1;
}

static inline Meaning random_meaning(bool kept_back, Random *random)
{
    Meaning m;
    do
        m = (Meaning){ below(random, 3), below(random, 2), below(random, 6),
                       below(random, 4), below(random, 2) };
    while (is_kept_back(m) != kept_back);
    return m;
}

static inline void caption_of(Meaning m, int id[CAPTION])
{
    id[0] = 1 + m.count;
    id[1] = 4 + m.size;
    id[2] = 6 + m.colour;
    id[3] = (m.count == 0 ? 12 : 16) + m.shape;
    id[4] = 20 + m.half;
}

/* Is the pixel, so far from the middle, in a shape of this radius? */
static inline bool covers(int shape, int r, int down, int right)
{
    switch (shape) {
    case 0:  return down * down + right * right <= r * r + r / 2;
    case 1:  return true;
    case 2:  return 2 * abs(right) <= down + r;
    default: return abs(down) <= r / 3 || abs(right) <= r / 3;
    }
}

static inline unsigned char near_to(int level, Random *random)
{
    level += below(random, 41) - 20;
    return (unsigned char)(level < 0 ? 0 : level > 255 ? 255 : level);
}

static inline void draw_shape(Drawn *d, int row, int col, Random *random)
{
    static const unsigned char rgb[6][3] = {
        { 220, 40, 40 }, { 40, 180, 40 }, { 40, 60, 220 },
        { 220, 210, 40 }, { 170, 40, 200 }, { 40, 200, 210 }
    };
    const int r = d->meaning.size == 0 ? 3 : 5;
    unsigned char colour[3];
    for (int k = 0; k < 3; k++)
        colour[k] = near_to(rgb[d->meaning.colour][k], random);
    for (int i = -r; i <= r; i++)
        for (int j = -r; j <= r; j++)
            if (covers(d->meaning.shape, r, i, j))
                memcpy(d->rgb + 3 * ((row + i) * WIDE + col + j), colour, 3);
}

/* Places for the shapes, in their half, none too near to another. */
static inline void choose_places(Meaning m, int row[], int col[],
                                 Random *random)
{
    const int r = m.size == 0 ? 3 : 5, apart = 2 * r + NEAREST;
    for (int k = 0; k <= m.count; ) {
        row[k] = r + below(random, HIGH - 2 * r);
        col[k] = r + below(random, WIDE / 2 - 2 * r) + m.half * (WIDE / 2);
        bool free = true;
        for (int other = 0; other < k; other++)
            free = free && (abs(row[k] - row[other]) >= apart
                            || abs(col[k] - col[other]) >= apart);
        k = free ? k + 1 : below(random, 20) == 0 ? 0 : k;
    }
}

/* Draws it; the scene's pointers lead into d. */
static inline Scene draw_scene(Drawn *d, Meaning m, Random *random)
{
    const int grey = 60 + below(random, 120), N_V = N_TEXT + 3;
    int row[3], col[3];
    d->meaning = m;
    for (int k = 0; k < HIGH * WIDE; k++)
        memset(d->rgb + 3 * k, near_to(grey, random), 3);
    choose_places(m, row, col, random);
    for (int k = 0; k <= m.count; k++)
        draw_shape(d, row[k], col[k], random);
    d->image = (Image){ HIGH, WIDE, d->rgb };
    d->id[0] = bos_token(N_V);
    for (int k = 1; k <= PATCHES; k++)
        d->id[k] = mask_token(N_V);
    caption_of(m, d->id + 1 + PATCHES);
    d->id[1 + PATCHES + CAPTION] = eos_token(N_V);
    return (Scene){ { 1 + PATCHES + CAPTION + 1, d->id }, 1, &d->image,
                    false };
}

/* scene[1] ... scene[n], each of its own meaning. */
static inline Scenes draw_scenes(Arena *room, const Gato *model, int n,
                                 bool kept_back, Random *random)
{
    Drawn *drawn = arena_alloc(room, (size_t)n * sizeof *drawn);
    Scene *scene = arena_alloc(room, ((size_t)n + 1) * sizeof *scene);
    for (int k = 1; k <= n; k++)
        scene[k] = draw_scene(&drawn[k - 1],
                              random_meaning(kept_back, random), random);
    return (Scenes){ { .N_data = n }, model, scene };
}

/* Says the model of this scene's image what its caption says? */
static inline bool caption_is_right(Tape *on, Arena *room,
                                    const Gato *model, const Scene *scene,
                                    Memory *memory, Tokens *said)
{
    const Inference how = { .ell_gen = CAPTION + 1, .stop_at_eos = true,
                            .memory = memory };
    Scene prompt = *scene;
    prompt.x = slice(scene->x, 1, 1 + PATCHES);
    *said = gato_inference(on, room, &prompt, model, &how);
    Tokens right = slice(scene->x, 2 + PATCHES, scene->x.length);
    return said->length == right.length
        && memcmp(said->id, right.id, sizeof(int) * (CAPTION + 1)) == 0;
}
#endif
