/* Gato: Algorithm 10 [PH22] for text, numbers and images. */
#ifndef GATO_H
#define GATO_H
#include "practice.h"

/* An image: three bytes a pixel, red, green, blue, in raster order. */
typedef struct {
    int height, width;
    const unsigned char *rgb;
} Image;

/* How many patches of side x side pixels it has. Where they do not fill it,
   it is refused. */
int patch_count(const Image *image, int side);

/* The pixels of all patches of n images, 3 x (patches side^2), in the
   tape's arena: patch after patch in raster order, and in each its pixels
   in raster order. Black is -1 and full 1, over the root of side. */
Mat patches(Tape *tape, int n, const Image image[], int side);


/* For each pixel the 3 x 3 pixels about it, in raster order, on top of each
   other; beyond the edge there is 0. X is c x n, a column a pixel, patches
   of side x side behind each other; Y is 9c x n, on the tape. With a W of
   c_out x 9c, affine(W, Y, b) is a convolution. */
Mat neighbours(Tape *tape, Mat X, int side);

/* Y = (X - m) / sqrt(v + 1e-5), where m and v are the mean and the variance
   of a group: of some channels, all pixels of a patch. X is c x n as above;
   groups divides c. */
Mat group_norm(Mat X, int groups, int side);

/* The columns of each patch on top of each other: c x n to c side^2 x
   n / side^2. */
Mat flattened(Mat X, int side);

/* X with column k of E for its column t[k]. */
Mat placed(Mat X, Tokens t, Mat E);


/* Gato's hyperparameters, beyond those of Algorithm 10. Its N_V is
   N_text + bins + 3: first the text, then the numbers, then the special
   tokens. mask_token stands where a patch is. */
typedef struct {
    int N_text, bins;       /* different tokens of text; of numbers: 1024 */
    int side;               /* of a patch, in pixels: 16                  */
    int channels, groups;   /* of the block; normalised together: 32      */
    int places;             /* of rows and columns in an image: 128       */
} Vision;

typedef struct {
    Vision vision;
    Theta *theta;           /* all parameters, with those below           */
    Mat W_0, b_0;           /* channels x 27, channels x 1                */
    Mat gamma_1, beta_1, W_1, b_1;      /* channels x 9 channels          */
    Mat gamma_2, beta_2, W_2, b_2;
    Mat W_v, b_v;           /* d_e x channels side^2, d_e x 1             */
    Mat W_row, W_col;       /* d_e x places                               */
} Gato;

/* A Gato without numbers; theta_allocate and theta_initialise give its
   theta some. Hyperparameters that do not fit are refused. */
Gato *gato_new(Arena *arena, const Hyperparameters *hyper,
               const Vision *vision);

/* Of n images the columns of all patches, d_e x their number. With a
   random, places are drawn; without, they are in the middle. */
Mat see_patches(Tape *tape, int n, const Image image[], const Gato *gato,
                Random *random);

/* A sequence: as many mask_tokens in x as image[0] ... image[images - 1]
   have patches, in this order. acts: are its numbers to be learned, as
   what is done? If not they are only seen. */
typedef struct {
    Tokens x;
    int images;
    const Image *image;
    bool acts;
} Scene;

/* P <- DTransformer(x | theta), where line 2 gives what is seen. */
Mat gato(Tape *tape, const Scene *scene, const Gato *gato, Random *random);

/* Algorithm 14 with these options, from such a prompt; slide must be 0. */
Tokens gato_inference(Tape *tape, Arena *arena, const Scene *scene,
                      const Gato *gato, const Inference *how);

/* Data for a trainer: scene[1] ... scene[data.N_data]. The loss of one is
   that of Algorithm 13, but only of text, of eos_token, and of numbers that
   are done. */
typedef struct {
    Data data;              /* N_data; the rest is NULL                   */
    const Gato *gato;
    const Scene *scene;
} Scenes;
Loss loss_gato;             /* data is the first member of Scenes         */


/* Mu-law: F(x), from -1 to 1, and back. */
double mu_law(double x);
double mu_law_back(double y);

/* The token of a number, N_text + its bin; and what a token stands for, F
   back from the middle of its bin. A NaN is refused; and another token. */
int number_token(double x, const Vision *vision);
double number_of_token(int token, const Vision *vision);

#endif
