#pragma once

/// Item with its ItemTag, Place and Label: one tagged thing, as the sources say it.
#include "commonplace/formats/item.h"
