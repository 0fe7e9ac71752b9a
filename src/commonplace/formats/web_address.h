#pragma once

#include <string>
#include <string_view>

#include "commonplace/formats/item.h"

namespace commonplace {

/// The address that an item stands for, if it has one that may be opened (http, https, mailto).
std::string web_address(const Item& item);

/// What the spellings of one web address have in common: no scheme, "www.", port, fragment (unless
/// it is a route, "#!/..." or "#/..."), slash or index page at the end, nor parameters that follow
/// readers around (utm_..., fbclid and their like); small letters in the host, parameters in order,
/// letters not written as %41. Empty for what is no address of the web. Nothing is fetched.
std::string plain_address(std::string_view address);

}  // namespace commonplace
