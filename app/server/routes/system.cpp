#include "app/server/interface/openapi.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"

namespace commonplace::server {

void add_system_routes(Router& router, const Metrics& metrics) {
  Route health;
  health.method = "GET";
  health.pattern = "/health";
  health.handler = [](const Request&, const PathValues&) {
    return json_answer(HealthAnswer{"ok", COMMONPLACE_VERSION});
  };
  health.open = true;
  router.add(std::move(health));
  router.add({"GET", "/metrics", [&metrics](const Request&, const PathValues&) {
                Response response;
                response.type = "text/plain; version=0.0.4";
                response.body = metrics.text();
                return response;
              }});
  router.add({"GET", "/v1/openapi.json", [](const Request&, const PathValues&) {
                return json_response(openapi_document().dump());
              }});
}

}  // namespace commonplace::server
