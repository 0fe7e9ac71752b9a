#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/server/answers.h"
#include "app/server/jobs/jobs.h"
#include "app/server/keeper.h"
#include "app/server/metrics.h"
#include "app/server/router.h"
#include "app/server/uploads.h"
#include "app/server/workspace.h"
#include "commonplace/base/error.h"

namespace commonplace::server {

/// What `find` returns. An Error that it throws says that there is none: Problem 404 of that code.
template <class Find>
auto or_not_found(const Find& find, const std::string& code = {},
                  const ProblemValues& values = {}) {
  try {
    return find();
  } catch (const StorageError&) {
    throw;
  } catch (const Error& error) {
    throw Problem{404, error.what(), {}, code, values};
  }
}

/// The collection, the item of that name; Problem 404 if there is none.
Collection known_collection(const Library& library, const std::string& name);
Item known_item(const Library& library, const Collection& collection, const std::string& id);
/// `words` are those that were asked for: what is shown of a text is about them.
Brief brief(Workspace& workspace, const Collection& collection, const Item& item,
            const std::vector<std::string>& words = {});

/// Each adds the routes of one part of docs/http.md. What is given must outlive the router.
/// `import` says whether there are folders that may be imported from.
void add_library_routes(Router& router, Workspace& workspace, bool import);
void add_item_routes(Router& router, Workspace& workspace);
void add_search_routes(Router& router, Workspace& workspace);
void add_suggest_routes(Router& router, Workspace& workspace);  ///< in the shape of Annif's
void add_select_routes(Router& router, Workspace& workspace);
void add_review_routes(Router& router, Workspace& workspace);
void add_detect_routes(Router& router, Workspace& workspace);
void add_relate_routes(Router& router, Workspace& workspace);
void add_audit_routes(Router& router, Workspace& workspace);
void add_decision_routes(Router& router, Workspace& workspace);
void add_vocabulary_routes(Router& router, Workspace& workspace);
/// `keeper` is none where the library is not kept up to date.
void add_keep_routes(Router& router, Workspace& workspace, const Keeper* keeper);
/// `folders` are those that may be imported from; `added` is called when items have come.
void add_job_routes(Router& router, Workspace& workspace, Jobs& jobs, Uploads& uploads,
                    const std::vector<std::filesystem::path>& folders,
                    const std::function<void()>& added);
void add_system_routes(Router& router, const Metrics& metrics);

/// A route for every file of the page below `folder`, read now; the page's own files need no token.
/// False if there is no page there.
bool add_page_routes(Router& router, const std::filesystem::path& folder);

}  // namespace commonplace::server
