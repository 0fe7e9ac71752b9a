#pragma once

#include "commonplace/library/database.h"

namespace commonplace {

/// The newest version of the library's schema that this program knows.
int newest_schema();

/// The version a database has: 0 for an empty one.
int schema_version(const Database& database);

/// Brings the database to `version` (by default the newest), one step after the other, in one
/// transaction. Error if it was made by a newer program.
void migrate(Database& database, int version = newest_schema());

}  // namespace commonplace
