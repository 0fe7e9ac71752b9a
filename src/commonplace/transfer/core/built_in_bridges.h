#pragma once

#include <string>
#include <string_view>

namespace commonplace::transfer {

/// A model of which bridges help, as JSON (bridge_choice.h), for libraries that have too few
/// labelled collections to learn one.
std::string_view built_in_bridges();
/// What it was learned from, for people.
std::string built_in_bridges_source();

}  // namespace commonplace::transfer
