/* Writes what llm.c's train_gpt2 reads when it starts, below the folder in
   which it is run: random weights of GPT-2's sizes, and random tokens.

       bench_llmc FOLDER */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 768, L = 12, H = 12, ELL = 1024, N_V = 50257, PADDED = 50304,
       MLP = 4 * D, TOKENS = 10 * 4 * 64 + 1, HEADER = 256 };

static FILE *opened(const char *folder, const char *name,
                    const int32_t *header)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name)
        >= (int)sizeof path)
        exit(1);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fwrite(header, sizeof *header, HEADER, file);
    return file;
}

static void closed(FILE *file)
{
    if (fclose(file) != 0) {
        perror("bench_llmc");
        exit(1);
    }
}

static void weights(const char *folder)
{
    const int32_t header[HEADER] = { 20240326, 3, ELL, N_V, L, H, D, PADDED };
    const struct { long n; int one; } part[] = {
        { (long)PADDED * D, 0 }, { (long)ELL * D, 0 },
        { L * D, 1 }, { L * D, 0 },                     /* layer norm   */
        { 3L * L * D * D, 0 }, { 3 * L * D, 0 },        /* Q, K and V   */
        { (long)L * D * D, 0 }, { L * D, 0 },           /* W_o          */
        { L * D, 1 }, { L * D, 0 },                     /* layer norm   */
        { (long)L * MLP * D, 0 }, { L * MLP, 0 },       /* the MLP      */
        { (long)L * D * MLP, 0 }, { L * D, 0 },
        { D, 1 }, { D, 0 }                              /* the last one */
    };
    FILE *file = opened(folder, "gpt2_124M.bin", header);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (long i = 0; i < part[k].n; i++) {
            const float w = part[k].one ? 1
                          : 0.04f * ((float)rand() / (float)RAND_MAX - 0.5f);
            fwrite(&w, sizeof w, 1, file);
        }
    closed(file);
}

static void tokens(const char *folder, const char *name)
{
    const int32_t header[HEADER] = { 20240520, 1, TOKENS };
    FILE *file = opened(folder, name, header);
    for (int t = 0; t < TOKENS; t++) {
        const uint16_t id = (uint16_t)(rand() % N_V);
        fwrite(&id, sizeof id, 1, file);
    }
    closed(file);
}

int main(int argc, char *argv[])
{
    if (argc != 2)
        return 2;
    weights(argv[1]);
    tokens(argv[1], "dev/data/tinyshakespeare/tiny_shakespeare_train.bin");
    tokens(argv[1], "dev/data/tinyshakespeare/tiny_shakespeare_val.bin");
    return 0;
}
