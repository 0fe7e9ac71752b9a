#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/pictures/xmp.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

/// Reads a packet and adds to it: what was there must still be there, and once is enough.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const std::string bytes = fuzz::text_of(data, size);
    XmpPacket packet(bytes, "input");
    const std::vector<std::string> before = packet.list(xmp::subject);
    packet.append(xmp::subject, "Bag", {"one", "<two>"});
    packet.append(xmp::tags_list, "Seq", {"one/two"});
    const std::string written = packet.serialise();
    const XmpPacket again(written, "output");
    std::vector<std::string> after = again.list(xmp::subject);
    fuzz::check(after.size() == before.size() + 2, "the list has not grown by two");
    after.resize(before.size());
    fuzz::check(after == before, "the items that were there changed");
    fuzz::check(again.serialise() == written, "writing again changes the packet");
    parse_xmp(bytes, "input");
  });
}
