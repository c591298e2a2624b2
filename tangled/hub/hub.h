/* hub/: files as the hub of released models distributes them. */
#ifndef FTX_HUB_H
#define FTX_HUB_H
#include "hub/json.h"
#include "hub/safetensors.h"
#include "hub/token_files.h"
#endif
