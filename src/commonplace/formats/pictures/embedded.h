#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/pictures/photo_facts.h"
#include "commonplace/formats/pictures/picture_bytes.h"

namespace commonplace {

/// The metadata inside a picture file.
struct Embedded {
  std::vector<std::string> xmp;  ///< packets, each at most `metadata_limit` bytes
  std::string iptc;              ///< IPTC-IIM datasets
  PhotoFacts facts;              ///< of EXIF and PNG's texts, and the size in pixels
};

/// Walks the containers of JPEG, PNG, WebP and TIFF, which are told by their first bytes, not by
/// the file's name. Error if it is none of them or its structure is broken or cut short. Reads a
/// few kilobytes besides the metadata itself.
Embedded read_embedded(PictureBytes& bytes);

/// The walkers by container.
Embedded read_jpeg(PictureBytes& bytes);
Embedded read_png(PictureBytes& bytes);
Embedded read_webp(PictureBytes& bytes);
Embedded read_tiff(PictureBytes& bytes);

/// Adds a packet, unless it is empty or there are more already than a sound file has.
void add_xmp(Embedded& embedded, std::string_view packet);

/// Adds what a block of EXIF says, with or without "Exif\0\0" in front. Cameras write many that are
/// slightly wrong: what cannot be read is left out, and there is no Error.
void read_exif(std::string_view block, Embedded& embedded);

/// The IPTC-IIM datasets among Photoshop's image resources ("8BIM" blocks); empty if none.
std::string iptc_of_photoshop(std::string_view resources);

/// What IPTC-IIM datasets say; damaged ones are left out.
PhotoFacts facts_of_iptc(std::string_view datasets);

}  // namespace commonplace
