/* Images drawn by rule, with their captions: "two small red circles below".
   An image has two rows of three patches. One to three shapes of one kind
   stand in one of the rows, each in a patch of its own. */
#ifndef SCENES_H
#define SCENES_H
#include "gato.h"
#include <stdlib.h>
#include <string.h>

enum { HIGH = 32, WIDE = 48, N_TEXT = 21, CAPTION = 5, SIDE = 16,
       PATCHES = HIGH / SIDE * (WIDE / SIDE) };

static const char *const word_of[N_TEXT + 1] = {
    "", "one", "two", "three", "small", "large",
    "red", "green", "blue", "yellow", "violet", "cyan",
    "circle", "square", "triangle", "cross",
    "circles", "squares", "triangles", "crosses", "above", "below"
};

/* What there is to say, each counted from 0. */
typedef struct { int count, size, colour, shape, row; } Meaning;

/* A scene with room for its image and its tokens. */
typedef struct {
    Meaning meaning;
    unsigned char rgb[HIGH * WIDE * 3];
    int id[1 + PATCHES + CAPTION + 1];
    Image image;
} Drawn;

/* Of the 288 captions 48 are kept back, so that there are some that nobody
   has seen: three large cyan crosses above, though three large blue ones
   above, and two small cyan ones below. */
static inline bool is_kept_back(Meaning m)
{
    return (m.count + m.size + m.colour + m.shape + m.row) % 6 == 0;
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
    id[4] = 20 + m.row;
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

/* The middles of the shapes: each in a patch of its own, of one row. */
static inline void choose_places(Meaning m, int row[], int col[],
                                 Random *random)
{
    const int r = m.size == 0 ? 3 : 5, room = SIDE - 2 * r;
    int patch[3] = { 0, 1, 2 };
    for (int k = 0; k <= m.count; k++) {
        const int other = k + below(random, 3 - k), p = patch[other];
        patch[other] = patch[k];
        row[k] = m.row * SIDE + r + below(random, room);
        col[k] = p * SIDE + r + below(random, room);
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
