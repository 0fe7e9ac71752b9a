#pragma once

#include "commonplace/comm/collectives.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {

/// What rank 0 has just stored, on every rank, without a look into the library, whose change
/// another host may not see yet. Collective.
inline FeatureRecord broadcast_record(Comm& comm, const FeatureRecord& record) {
  FeatureRecord result;
  result.name = broadcast_text(comm, record.name);
  result.sparse = comm.broadcast(record.sparse, 0);
  result.rows = comm.broadcast(record.rows, 0);
  result.columns = comm.broadcast(record.columns, 0);
  result.source = broadcast_text(comm, record.source);
  result.file = broadcast_text(comm, record.file.string());
  return result;
}

}  // namespace commonplace
