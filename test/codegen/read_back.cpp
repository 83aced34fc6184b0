#include "codegen/read_back.hpp"
