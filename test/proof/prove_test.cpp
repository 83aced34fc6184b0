#include <gtest/gtest.h>

#include "linkwright/proof/prove.hpp"
