"""The HTTP interface as docs/http.md and openapi.json have it."""
import gzip
import json
import time

import jsonschema

from serving import ROOT, ServerTest, encoded, main, png

OPENAPI = json.loads((ROOT / "app/server/interface/openapi.json").read_text())
ITEM = "/v1/collections/photos/items/" + encoded("2019/p4.png")


def pattern_of(path):
    """The path of the description that a request's path is one of."""
    parts = path.split("?")[0].split("/")
    for pattern in OPENAPI["paths"]:
        wanted = pattern.split("/")
        if len(parts) == len(wanted) and all(a == b or b.startswith("{") for a, b in zip(parts, wanted)):
            return pattern
    raise AssertionError(f"{path} is not described")


class Described(ServerTest):
    """Answers are checked against the description as they come."""

    def setUp(self):
        super().setUp()
        self.seen = set()

    def check(self, server, method, path, status=200, **options):
        answer = server.ask(method, path, **options)
        self.assertEqual(answer.status, status, answer.bytes[:500])
        pattern = pattern_of(path)
        operation = OPENAPI["paths"][pattern][method.lower()]
        self.seen.add((method.lower(), pattern))
        described = operation["responses"].get(str(status), OPENAPI["components"]["responses"]["Problem"])
        kinds = described.get("content", {})
        if not kinds:
            self.assertEqual(answer.bytes, b"")
            return None
        kind, = kinds
        sent = answer.headers["content-type"].split(";")[0]
        self.assertTrue(sent == kind or (kind == "image/*" and sent.startswith("image/")), sent)
        if "json" not in kind or "ndjson" in kind:
            return answer.bytes
        # The server adds what all of its answers list.
        components = server.get("/v1/openapi.json").json["components"]
        schema = {**kinds[kind]["schema"], "components": components}
        jsonschema.validate(answer.json, schema)
        return answer.json


class Interface(Described):
    def decisions(self, get, post):
        fresh = {"item": "2019/p1.png", "tag": "Fresh", "verdict": "accepted"}
        post("/v1/collections/photos/decisions", {"decisions": [fresh]})
        log = get("/v1/decisions?limit=1000")
        self.assertEqual(log["total"], len(log["decisions"]))
        lines = get("/v1/decisions/export").decode()
        self.assertEqual([json.loads(line) for line in lines.splitlines()], log["decisions"])
        self.assertEqual(post("/v1/decisions/merge", {"log": lines})["new"], 0)
        mine = log["decisions"][-1]
        other = {**mine, "library": "f" * 32, "who": "somebody else", "verdict": "rejected", "time": "2000-01-01T00:00:00Z"}
        merged = post("/v1/decisions/merge", {"log": json.dumps(other)})
        self.assertEqual((merged["new"], merged["conflicts"][0]["in_force"]), (1, "accepted"))
        self.assertEqual(get("/v1/decisions/conflicts?collection=photos")["conflicts"], merged["conflicts"])
        post("/v1/decisions/merge", {"log": "{}"}, status=400)
        post("/v1/collections/photos/decisions", {"decisions": [{**fresh, "verdict": "withdrawn"}]})
        place = get(ITEM + "/place")
        self.assertTrue(place["known"] or place["why"], place)

    def vocabulary(self, get, post):
        tags = {each["tag"]: each for each in get("/v1/vocabulary?hidden=1")["tags"]}
        used = tags["Ölfass"]["items"]
        self.assertGreater(used, 0)
        self.assertEqual(get("/v1/vocabulary?prefix=%C3%B6l&limit=1")["total"], 1)
        renamed, said = post("/v1/vocabulary/changes", {"changes": [
            {"do": "rename", "tag": "ölfass", "to": "Fass/Öl"},
            {"do": "describe", "tag": "Fass/Öl", "description": "of oil", "colour": "#000000"}]})["changes"]
        self.assertEqual((renamed["items"], said["after"]["colour"]), (used, "#000000"))
        oil = get("/v1/vocabulary?under=Fass")["tags"][1]
        self.assertEqual((oil["tag"], oil["items"], oil["also"]), ("Fass/Öl", used, ["Ölfass"]))
        self.assertEqual(get("/v1/vocabulary/history?limit=1")["changes"][0]["do"], "describe")
        post(f"/v1/vocabulary/changes/{renamed['change']}/undo", {})
        post(f"/v1/vocabulary/changes/{renamed['change']}/restore", {})
        self.assertEqual(get("/v1/vocabulary?under=Fass")["total"], 2)
        split, = post("/v1/vocabulary/changes", {"changes": [
            {"do": "split", "tag": "Fass/Öl", "to": "Tonne",
             "items": [{"collection": "photos", "id": "2019/p1.png"}]}]})["changes"]
        self.assertEqual(split["items"], 1)
        for each in (split, said, renamed):
            self.assertTrue(post(f"/v1/vocabulary/changes/{each['change']}/undo", {})["undone"])
        self.assertIn("candidates", get("/v1/vocabulary/candidates?limit=3"))
        first, second = list(tags)[:2]
        self.assertEqual(post("/v1/vocabulary/candidates/dismiss", {"tag": first, "into": second})["do"], "keep")
        self.assertIn("Ölfass".encode(), get("/v1/vocabulary/skos"))
        self.assertTrue(get("/v1/vocabulary/skos?format=ntriples"))
        thesaurus = "<u:a> <http://www.w3.org/2004/02/skos/core#prefLabel> \"Ölfass\" ."
        self.assertEqual(post("/v1/vocabulary/skos", {"text": thesaurus})["changes"], [])
        post("/v1/vocabulary/skos", {"text": "<u:a>"}, status=400)
        post("/v1/vocabulary/changes", {"changes": [{"do": "merge", "tag": "dodo", "to": "x"}]}, status=400)
        post("/v1/vocabulary/changes", {"changes": [{"do": "twist", "tag": "dodo"}]}, status=400)
        post("/v1/vocabulary/changes/777/undo", {}, status=404)

    def test_every_route_answers_as_it_is_described(self):
        self.plant()
        self.json("evaluate", "suggest", self.library, "--collection", "photos", "--features", "text",
                  "--methods", "tags", "--baselines", "popular")
        server = self.serve("--allow-import", self.folder / "pictures")

        def get(path, **options):
            return self.check(server, "GET", path, **options)

        def post(path, body, **options):
            return self.check(server, "POST", path, body=body, **options)

        get("/health")
        library = get("/v1/library")
        self.assertEqual((library["collections"], library["items"], library["import"]), (2, 240, True))
        get("/v1/openapi.json")
        photos = {each["name"]: each for each in get("/v1/collections")["collections"]}["photos"]
        self.assertEqual((photos["pictures"], photos["places"], photos["label_fields"], photos["features"]),
                         (True, True, ["group"], ["look"]))
        items = get("/v1/collections/photos/items?offset=3&limit=2")
        self.assertEqual([each["id"] for each in items["items"]], ["2019/p3.png", "2019/p4.png"])
        self.assertEqual(items["total"], 150)
        tags = get("/v1/collections/photos/tags?prefix=%C3%B6l")
        self.assertEqual([each["tag"] for each in tags["tags"]], ["Ölfass"])
        self.assertEqual(get("/v1/complete?q=det")["completions"][0]["tag"][:6], "detail")
        item = get(ITEM)
        self.assertEqual(item["title"], "workshop grease 4")
        self.assertEqual(item["labels"], [{"field": "group", "value": "g1"}])
        self.assertAlmostEqual(item["place"]["latitude"], 50.2, delta=0.05)
        self.assertEqual(get(ITEM + "/image")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(get(ITEM + "/thumbnail?size=64")[:3], b"\xff\xd8\xff")
        self.assertEqual(get(ITEM + "/image", status=206, headers={"Range": "bytes=1-3"}), b"PNG")
        for path in [ITEM + "/image", ITEM + "/thumbnail?size=64"]:
            tag = server.get(path).headers["etag"]
            get(path, status=304, headers={"If-None-Match": tag})
        get(ITEM + "/image", status=416, headers={"Range": "bytes=99999999-"})
        everything = get("/v1/search?q=&collection=photos&order=newest&limit=1")
        self.assertEqual(everything["total"], 150)
        facets = get("/v1/facets?q=is:untagged&collection=photos")
        self.assertEqual((facets["total"], facets["untagged"], facets["tags"]), (51, 51, []))
        self.assertEqual(get("/v1/facets?q=is:placed")["total"], get("/v1/facets")["placed"])
        places = get("/v1/places?q=area:50.1,12,50.3,14&collection=photos")["points"]
        self.assertTrue(places["id"] and all(50.1 <= each <= 50.3 for each in places["latitude"]))
        first = {"items": [{"collection": "photos", "id": "2019/p4.png"}, {"collection": "photos", "id": "2019/p1.png"}]}
        named = post("/v1/selection", {"search": {"q": "is:untagged", "collection": ["photos"]},
                                       "except": [first["items"][1]]})["collections"]
        self.assertEqual(len(named[0]["ids"]), 50)
        changed = post("/v1/changes", {**first, "changes": [{"do": "add", "tag": "both"}, {"do": "remove", "tag": "Ölfass"}]})
        self.assertEqual((changed["items"], changed["stored"]), (2, 3), "only one of them has the tag to remove")
        now = get(ITEM)["tags"]
        self.assertEqual([each["by"] for each in now if each["name"] == "both"], ["user"])
        back = post("/v1/changes/undo", {"first": changed["first"], "last": changed["last"]})
        self.assertEqual(back["stored"], 3)
        self.assertEqual(get(ITEM)["tags"], item["tags"])
        exported = post("/v1/export", {**first, "format": "jsonl"})
        self.assertEqual(len(exported.splitlines()), 2)
        found = get("/v1/search?q=feather+xyzzy&limit=5&explain=1")
        self.assertEqual(found["unknown"], ["xyzzy"])
        self.assertEqual(len(found["hits"]), 5)
        self.assertGreater(found["total"], 40)
        self.assertTrue(found["hits"][0]["why"]["words"])
        second = get("/v1/search?q=feather+xyzzy&limit=4&offset=1")
        self.assertEqual([each["id"] for each in second["hits"]], [each["id"] for each in found["hits"][1:]])
        like = get(f"/v1/like?collection=photos&id={encoded('2019/p4.png')}&in=photos&limit=3")
        self.assertNotIn("2019/p4.png", [each["id"] for each in like["hits"]])
        looks = {"Content-Type": "application/octet-stream"}
        seen = self.check(server, "POST", "/v1/like-picture?collection=photos&limit=3", raw=png(9, 99, 9), headers=looks)
        self.assertEqual((seen["total"], seen["hits"]), (0, []), "features from elsewhere cannot be made of it")
        broken = self.check(server, "POST", "/v1/like-picture", status=400, raw=b"\x89PNG\r\n\x1a\nno", headers=looks)
        self.assertEqual(broken["code"], "broken-picture")
        self.assertTrue(get("/v1/topics?limit=2")["models"][0]["topics"])
        untagged = "/v1/collections/photos/items/" + encoded("2019/p1.png")
        suggested = get(untagged + "/suggestions")
        self.assertEqual({each["tag"] for each in suggested["suggestions"][:2]}, {"Ölfass", "detail 1"})
        review = get("/v1/review?collection=photos&limit=3")
        self.assertGreater(review["left"], 30)
        self.assertTrue(get("/v1/review/tags?collection=photos")["tags"])
        get("/v1/review/effect?collection=photos")
        post("/v1/collections/photos/decisions",
             {"decisions": [{"item": "2019/p1.png", "tag": "Ölfass", "verdict": "accepted"}]})
        self.assertEqual(len(get("/v1/concepts?collection=photos")["concepts"]), 6)
        shown = post("/v1/detect", {"concept": "round", "collection": "photos",
                                    "yes": ["2019/p1.png", "2019/p4.png"], "no": ["2019/p0.png"], "limit": 10})
        self.assertTrue(all(int(each["id"][6:-4]) % 3 == 1 for each in shown["results"]))
        get("/v1/concepts/round?collection=photos", status=404)
        post("/v1/concepts/round/lessons", {"collection": "photos", "yes": ["2019/p1.png"], "no": ["2019/p0.png"]})
        self.assertEqual(get("/v1/concepts/round?collection=photos&limit=3")["shown"], 1)
        tagged = post("/v1/concepts/round/tags", {"collection": "photos", "items": 5})
        self.assertEqual((tagged["before"], tagged["tagged"]), (0, 5))
        self.assertFalse(tagged["calibration"]["held_out"], "two answers are too few to hold some out")
        run = get("/v1/runs")["runs"][0]
        self.assertEqual((run["run"], run["wrote"], run["settings"]["concept"]), (tagged["run"], 5, "round"))
        self.assertEqual(post(f"/v1/runs/{run['run']}/undo", {})["changed"], 5)
        self.assertEqual(get("/v1/facets?q=is:automatic&collection=photos")["total"], 0)
        self.assertEqual(post(f"/v1/runs/{run['run']}/restore", {})["changed"], 5)
        post("/v1/runs/77/undo", {}, status=404)
        post("/v1/concepts/round/tags", {"collection": "photos"}, status=400)
        self.vocabulary(get, post)
        self.decisions(get, post)
        self.assertEqual(get("/v1/audit?collection=photos")["audited"], "", "nobody has looked yet")
        audited = self.wait_for(server, post("/v1/jobs", {"task": "audit", "collection": "photos", "features": ["text"]},
                                             status=202))
        self.assertEqual(audited["state"], "done", audited)
        for kind in ("wrong", "missing"):
            entry = get(f"/v1/audit?collection=photos&kind={kind}&limit=1")["entries"][0]
            self.assertEqual(entry["kind"], kind)
            left = get(f"/v1/audit?collection=photos&kind={kind}")["left"]
            decision = {"item": entry["id"], "tag": entry["tag"], "verdict": "accepted"}
            post("/v1/collections/photos/decisions", {"decisions": [decision]})
            self.assertEqual(get(f"/v1/audit?collection=photos&kind={kind}")["left"], left - 1)
            post("/v1/collections/photos/decisions", {"decisions": [{**decision, "verdict": "withdrawn"}]})
        get("/v1/audit?collection=photos&kind=odd", status=400)
        status = get("/v1/status")
        self.assertFalse(status["kept"])
        self.assertIn("photos", {each["collection"] for each in status["steps"]})
        self.assertEqual(get("/v1/facets?q=is:automatic&collection=photos")["total"], tagged["tagged"])
        taken = self.check(server, "DELETE", "/v1/concepts/round/tags?collection=photos")
        self.assertEqual((taken["before"], taken["tagged"]), (tagged["tagged"], 0))
        self.assertEqual(get("/v1/facets?q=is:automatic&collection=photos")["total"], 0)
        related = get(f"/v1/relate?item={encoded('2019/p4.png')}&collection=photos&explain=1")
        self.assertIn("photos/tags", [each["kind"] for each in related["kinds"]])
        get("/v1/same-tags")
        self.assertEqual(len(get("/v1/groups?k=3")["groups"]), 3)
        drawn = get("/v1/map?most=200&groups=3")
        self.assertEqual(len(drawn["points"]["x"]), len(drawn["points"]["name"]))
        self.assertEqual(sum(each["drawn"] for each in drawn["kinds"]), len(drawn["points"]["x"]))
        self.assertEqual(len(drawn["groups"]), 3)
        self.assertEqual({each["kind"] for each in get("/v1/models")["models"]},
                         {"search", "suggest", "detect", "relate"})
        self.assertEqual(get("/v1/evaluations")["evaluations"][0]["verb"], "suggest")
        job = post("/v1/jobs", {"task": "distances"}, status=202)
        ended = self.wait_for(server, job)
        self.seen.add(("get", "/v1/jobs/{id}/events"))
        self.assertEqual((ended["state"], len(ended["result"]["pairs"])), ("done", 1), ended)
        get(f"/v1/jobs/{job['id']}")
        get("/v1/jobs")
        self.check(server, "DELETE", f"/v1/jobs/{job['id']}")
        sent = self.check(server, "POST", "/v1/uploads?name=more.jsonl", status=201, raw="".join(
            json.dumps({"id": each, "text": "the same seven words in another place", "tags": [each]}) + "\n"
            for each in "xy").encode())
        self.assertEqual([each["name"] for each in get(f"/v1/uploads/{sent['upload']}")["files"]], ["more.jsonl"])
        get("/v1/basemap", status=404)
        added = self.wait_for(server, post("/v1/jobs", {"task": "add", "collection": "more",
                                                        "upload": sent["upload"]}, status=202))
        self.assertEqual((added["state"], added["result"]["added"]), ("done", 2), added)
        self.assertEqual((get("/v1/duplicates?collection=more")["job"], get("/v1/duplicates?collection=more")["total"]), (0, 0))
        compared = self.wait_for(server, post("/v1/jobs", {"task": "duplicates", "collection": "more"}, status=202))
        self.assertEqual(compared["state"], "done", compared)
        page = get("/v1/duplicates?collection=more&limit=1")
        self.assertEqual((page["total"], page["compared"]["texts"], page["skipped"]), (1, 2, []))
        self.assertEqual(page["groups"], compared["result"]["groups"])
        self.assertEqual(page["groups"][0]["differs"], ["tags"])
        projects = get("/v1/projects")["projects"]
        project = "/v1/projects/" + projects[0]["project_id"]
        get(project)
        results = self.check(server, "POST", project + "/suggest", form={"text": "feather of the night"})["results"]
        self.assertEqual({each["label"] for each in results[:2]}, {"owl", "detail 0"})
        post(project + "/suggest-batch", {"documents": [{"document_id": "d", "text": "a ship on water"}]})
        post(project + "/learn", [{"text": "a feather", "subjects": [{"label": "owl"}]}], status=204)
        self.assertIn(b"commonplace_requests_total", get("/metrics"))
        every = {(method, path) for path, methods in OPENAPI["paths"].items() for method in methods}
        self.assertEqual(every - self.seen, set(), "described, but not asked for here")

    def test_problems_say_what_to_do(self):
        self.plant(30, learn=False)
        server = self.serve()
        for path, status, said in [
                ("/v1/collections/fotos/items", 404, "photos"),
                ("/v1/collections/photos/items/none", 404, "none"),
                ("/v1/collections/photos/items?limit=many", 400, "whole number"),
                ("/v1/collections/photos/items?limit=-1", 400, "expected"),
                (ITEM + "/thumbnail?size=77", 400, "64"),
                (ITEM + "/suggestions", 404, "learn"),
                ("/v1/search?q=is:odd", 400, "is:untagged"),
                ("/v1/search?q=area:1,2", 400, "south"),
                ("/v1/search?q=owl&order=odd", 400, "newest"),
                ("/v1/search?q=a&collection=fotos", 404, "fotos"),
                ("/v1/search?q=" + "a" * 9000, 414, ""),
                ("/v1/concepts", 404, "learn"),
                ("/v1/relate?tag=owl", 404, "learn"),
                ("/v1/map", 404, "learn"),
                ("/v1/review?collection=photos", 404, "learn"),
                ("/v1/jobs/77", 404, "77"),
                ("/v1/jobs/x/events", 404, "x"),
                ("/v1/projects/none", 404, "none"),
                ("/nowhere", 404, "")]:
            with self.subTest(path=path[:60]):
                answer = server.get(path)
                self.assertEqual(answer.status, status, answer.bytes)
                self.assertEqual(answer.headers["content-type"], "application/problem+json")
                self.assertEqual(answer.json["status"], status)
                self.assertIn(said, answer.json["detail"])
        for path, body, said in [
                ("/v1/changes", {"changes": [{"do": "add", "tag": "a"}]}, "items"),
                ("/v1/changes", {"items": [{"collection": "photos", "id": "2019/p1.png"}],
                                 "changes": [{"do": "add", "tag": " "}]}, "tag"),
                ("/v1/changes", {"items": [], "changes": [{"do": "burn"}]}, "burn"),
                ("/v1/changes/undo", {"first": 3, "last": 1}, "first"),
                ("/v1/export", {"items": [], "format": "odd"}, "csv"),
                ("/v1/jobs", {"task": "learn-everything"}, "learn-search"),
                ("/v1/jobs", {"task": "learn-suggest"}, "collection"),
                ("/v1/jobs", {"task": "learn-suggest", "collection": "photos", "include": "/etc/passwd"}, "include"),
                ("/v1/jobs", {"task": "learn-suggest", "collection": {"a": 1}}, "collection"),
                ("/v1/collections/photos/decisions", {"decisions": [{"item": "x"}]}, "tag"),
                ("/v1/collections/photos/decisions",
                 {"decisions": [{"item": "2019/p1.png", "tag": "a", "verdict": "perhaps"}]}, "perhaps"),
                ("/v1/collections/photos/decisions",
                 {"decisions": [{"item": "none", "tag": "a", "verdict": "accepted"}]}, "none")]:
            with self.subTest(body=body):
                answer = server.ask("POST", path, body=body)
                self.assertEqual(answer.status, 400, answer.bytes)
                self.assertIn(said, answer.json["detail"])
        self.assertEqual(server.ask("POST", "/v1/library", body={}).status, 405)
        self.assertEqual(server.ask("POST", "/v1/detect", raw=b"{", headers={"Content-Type": "application/json"}).status, 400)
        self.assertEqual(server.ask("POST", "/v1/detect", raw=b"[" * 100000,
                                    headers={"Content-Type": "application/json"}).status, 400)
        self.assertEqual(server.ask("POST", "/v1/detect", body={"concept": "x" * (2 << 20)}).status, 413)

    def test_an_empty_library(self):
        server = self.serve()
        self.assertEqual(server.get("/v1/library").json["collections"], 0)
        self.assertEqual(server.get("/v1/collections").json["collections"], [])
        self.assertEqual(server.get("/v1/models").json["models"], [])
        self.assertEqual(server.get("/v1/search", q="owl").json["hits"], [])
        self.assertEqual(server.stop(), 0)


class Decisions(ServerTest):
    def test_a_rejection_is_remembered_and_the_effect_is_told(self):
        self.plant()
        server = self.serve()
        path = "/v1/collections/photos/items/" + encoded("2019/p1.png") + "/suggestions"
        asked = server.get("/v1/review", collection="photos", limit=500).json
        first = server.get(path).json["suggestions"][0]["tag"]
        self.assertIn(("2019/p1.png", first), [(each["id"], each["tag"]) for each in asked["entries"]])

        def decide(verdict):
            answer = server.ask("POST", "/v1/collections/photos/decisions", body={
                "decisions": [{"item": "2019/p1.png", "tag": first, "verdict": verdict}]})
            self.assertEqual(answer.status, 200, answer.bytes)

        decide("rejected")
        self.assertNotIn(first, [each["tag"] for each in server.get(path).json["suggestions"]])
        after = server.get("/v1/review", collection="photos", limit=500).json
        self.assertEqual(after["left"], asked["left"] - 1)
        effect = server.get("/v1/review/effect", collection="photos").json
        self.assertEqual(effect["decided"], {"accepted": 0, "rejected": 1})
        self.assertEqual(effect["right"], 0)
        self.assertGreater(effect["expected"], 0.2)
        self.assertIn("calibration_error", effect["held_out"])
        decide("withdrawn")
        self.assertEqual(server.get("/v1/review", collection="photos").json["left"], asked["left"])
        self.assertEqual(server.get("/v1/review/effect", collection="photos").json["expected"], None)
        decide("accepted")
        shown = self.json("show", self.library, "photos", "2019/p1.png")
        self.assertEqual(shown["decisions"][-1]["verdict"], "accepted")
        self.assertEqual(server.stop(), 0)

    def test_what_the_command_line_learns_is_used_without_a_restart(self):
        self.plant(learn=False)
        server = self.serve()
        path = "/v1/collections/photos/items/" + encoded("2019/p1.png") + "/suggestions"
        self.assertEqual(server.get(path).status, 404)
        self.json("learn", self.library, "suggest", "--collection", "photos", "--features", "text")
        self.assertIn("Ölfass", [each["tag"] for each in server.get(path).json["suggestions"]])
        before = server.get("/v1/search", q="quagga").json["total"]
        self.assertEqual(before, 0)
        self.add("zoo", self.write("zoo.jsonl", '{"id":"q","title":"a quagga"}\n'))
        self.json("tag", self.library, "photos", "2019/p1.png", "--add", "quagga")
        deadline = time.monotonic() + 60
        while server.get("/v1/search", q="quagga").json["total"] < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        found = server.get("/v1/search", q="quagga").json
        self.assertEqual({each["id"] for each in found["hits"]}, {"q", "2019/p1.png"})


class Jobs(ServerTest):
    def test_learning_from_the_page_with_progress_and_cancel(self):
        self.plant(learn=False)
        server = self.serve()
        job = server.ask("POST", "/v1/jobs", body={"task": "learn-suggest", "collection": "photos",
                                                   "features": ["text"]}).json
        ended = self.wait_for(server, job)
        self.assertEqual(ended["state"], "done", ended)
        self.assertEqual(ended["result"]["model"], "suggest.photos")
        failed = self.wait_for(server, server.ask("POST", "/v1/jobs", body={
            "task": "learn-detect", "collection": "photos", "features": ["nothing"]}).json)
        self.assertEqual(failed["state"], "failed")
        self.assertIn("nothing", failed["error"])
        # The first runs, so that the second waits, and is cancelled before it has begun.
        ids = [server.ask("POST", "/v1/jobs", body={"task": "learn-search", "target": "photos",
                                                    "auxiliary": ["notes"]}).json["id"] for _ in range(2)]
        server.ask("DELETE", f"/v1/jobs/{ids[1]}")
        self.assertEqual(self.wait_for(server, {"id": ids[1]})["state"], "cancelled")
        self.assertEqual(self.wait_for(server, {"id": ids[0]})["state"], "done")
        self.assertEqual(len(server.get("/v1/jobs").json["jobs"]), 4)

    def test_pictures_that_are_sent_stay_with_the_library(self):
        server = self.serve()
        upload = ""
        for i in range(3):
            sent = server.ask("POST", f"/v1/uploads?name=p{i}.png&to={upload}", raw=png(9, 99, i))
            self.assertEqual(sent.status, 201, sent.bytes)
            upload = sent.json["upload"]
        ended = self.wait_for(server, server.ask("POST", "/v1/jobs", body={
            "task": "add", "collection": "sent", "upload": upload}).json)
        self.assertEqual((ended["state"], ended["result"]["added"]), ("done", 3), ended)
        self.assertEqual(server.get("/v1/collections/sent/items/p1.png/image").status, 200)
        for name in ["", "../x.png", "a/../b.png", "/a.png", "a//b.png", "a/.b.png", "a/", ".hidden", "a\tb",
                     "a/" * 20 + "b.png"]:
            self.assertEqual(server.ask("POST", "/v1/uploads?name=" + encoded(name), raw=b"x").status, 400, name)
        self.assertEqual(server.ask("POST", "/v1/jobs", body={"task": "add", "collection": "x",
                                                              "upload": "../../etc"}).status, 400)

    def test_folders_that_are_sent_keep_their_shape_and_go_on_where_they_stopped(self):
        server = self.serve()
        upload = ""
        names = ["2019/a.png", "2019/may/a.png", "b.png"]
        for i, name in enumerate(names):
            sent = server.ask("POST", f"/v1/uploads?name={encoded(name)}&to={upload}", raw=png(9, 99, i))
            self.assertEqual(sent.status, 201, sent.bytes)
            upload = sent.json["upload"]
        here = server.get(f"/v1/uploads/{upload}").json
        self.assertEqual([each["name"] for each in here["files"]], names)
        self.assertEqual([each["bytes"] for each in here["files"]], [len(png(9, 99, i)) for i in range(3)])
        again = server.ask("POST", f"/v1/uploads?name=b.png&to={upload}", raw=png(9, 99, 2))
        self.assertEqual(again.status, 201, "it replaces itself")
        self.assertEqual(server.ask("POST", f"/v1/uploads?name=b.png%2Fc.png&to={upload}", raw=b"x").status, 400)
        ended = self.wait_for(server, server.ask("POST", "/v1/jobs", body={
            "task": "add", "collection": "trip", "upload": upload}).json)
        self.assertEqual((ended["state"], ended["result"]["added"]), ("done", 3), ended)
        ids = {each["id"] for each in server.get("/v1/collections/trip/items").json["items"]}
        self.assertEqual(ids, set(names))
        gone = server.get(f"/v1/uploads/{upload}")
        self.assertEqual((gone.status, gone.json["code"]), (404, "no-upload"))
        # The same folder once more, with one picture that is new.
        upload = ""
        for name, raw in [("b.png", png(9, 99, 2)), ("2020/c.png", png(1, 2, 3))]:
            upload = server.ask("POST", f"/v1/uploads?name={encoded(name)}&to={upload}", raw=raw).json["upload"]
        ended = self.wait_for(server, server.ask("POST", "/v1/jobs", body={
            "task": "add", "collection": "trip", "upload": upload}).json)
        self.assertEqual((ended["state"], ended["result"]["added"]), ("done", 1), ended)
        self.assertEqual(server.get("/v1/collections/trip/items").json["total"], 4)
        other = server.ask("POST", "/v1/uploads?name=b.png", raw=png(7, 7, 7)).json["upload"]
        refused = server.ask("POST", "/v1/jobs", body={"task": "add", "collection": "trip", "upload": other})
        self.assertEqual(refused.status, 400)
        self.assertIn("another picture 'b.png'", refused.json["detail"])

    def test_map_tiles_that_lie_in_the_library_are_read_by_parts(self):
        server = self.serve()
        self.assertEqual(server.get("/v1/library").json["basemap"], "")
        self.assertEqual(server.get("/v1/basemap").status, 404)
        (self.library / "maps").mkdir()
        (self.library / "maps" / "world.pmtiles").write_bytes(bytes(range(256)) * 64)
        self.assertEqual(server.get("/v1/library").json["basemap"], "world.pmtiles")
        part = server.ask("GET", "/v1/basemap", headers={"Range": "bytes=256-260", "Accept-Encoding": "gzip"})
        self.assertEqual((part.status, part.bytes), (206, bytes([0, 1, 2, 3, 4])))

    def test_answers_are_compressed_for_who_takes_that(self):
        server = self.serve()
        path = "/v1/openapi.json"
        plain = server.ask("GET", path)
        packed = server.ask("GET", path, headers={"Accept-Encoding": "gzip"})
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertLess(len(packed.bytes), len(plain.bytes) / 3)
        self.assertEqual(gzip.decompress(packed.bytes), plain.bytes)
        self.assertEqual(int(packed.headers["content-length"]), len(packed.bytes))

    def test_paths_outside_the_allowed_folder_are_refused(self):
        self.write("in/a.jsonl", '{"id":"a"}\n')
        self.write("out/b.jsonl", '{"id":"b"}\n')
        (self.folder / "in/link.jsonl").symlink_to(self.folder / "out/b.jsonl")
        server = self.serve("--allow-import", self.folder / "in")

        def add(path):
            return server.ask("POST", "/v1/jobs", body={"task": "add", "collection": "c", "path": str(path)})

        for path in [self.folder / "out/b.jsonl", "../out/b.jsonl", "link.jsonl", "/etc/passwd", self.folder]:
            self.assertEqual(add(path).status, 403, path)
        self.assertEqual(self.wait_for(server, add("a.jsonl").json)["state"], "done")


class Safety(ServerTest):
    def test_no_file_is_shown_that_is_no_picture_below_the_collection(self):
        self.write("secret.png", png(1, 2, 3))
        self.write("c/text.png", "not a picture")
        (self.folder / "c/link.png").symlink_to(self.folder / "secret.png")
        lines = "".join(json.dumps({"id": str(i), "image": image}) + "\n" for i, image in enumerate(
            ["/etc/passwd", "../secret.png", str(self.folder / "secret.png"), "link.png", "text.png", "none.png",
             "http://localhost/x.png"]))
        self.add("c", self.write("c/c.jsonl", lines))
        server = self.serve()
        for i in range(7):
            for what in ["image", "thumbnail"]:
                self.assertEqual(server.get(f"/v1/collections/c/items/{i}/{what}").status, 404, i)
        for path in ["/../library.db", "/assets/../../library.db", "/%2e%2e/library.db", "/v1/..%2flibrary.db"]:
            self.assertIn(server.get(path).status, (400, 404), path)

    def test_other_hosts_and_origins_are_refused(self):
        self.plant(30, learn=False)
        server = self.serve()
        self.assertEqual(server.ask("GET", "/v1/library", headers={"Host": "evil.example"}).status, 403)
        self.assertEqual(server.ask("GET", "/v1/library", headers={"Host": f"localhost:{server.port}"}).status, 200)
        decision = {"decisions": [{"item": "2019/p1.png", "tag": "a", "verdict": "accepted"}]}
        path = "/v1/collections/photos/decisions"
        self.assertEqual(server.ask("POST", path, body=decision, headers={"Origin": "http://evil.example"}).status, 403)
        self.assertEqual(server.ask("POST", path, raw=json.dumps(decision).encode(),
                                    headers={"Content-Type": "text/plain"}).status, 415)
        self.assertEqual(server.ask("POST", path, body=decision, headers={"Origin": server.address}).status, 200)

    def test_tokens_and_read_only(self):
        self.plant(30, learn=False)
        self.run_program("serve", self.library, "--host", "0.0.0.0", code=1)
        self.run_program("serve", self.library, "--token", "short", code=1)
        server = self.serve("--token", "a-long-secret", "--read-only")
        self.assertEqual(server.get("/health").status, 200)
        self.assertEqual(server.get("/v1/library").status, 401)
        self.assertEqual(server.ask("GET", "/v1/library", headers={"Authorization": "Bearer no"}).status, 401)
        known = {"Authorization": "Bearer a-long-secret"}
        self.assertTrue(server.ask("GET", "/v1/library", headers=known).json["read_only"])
        body = {"decisions": [{"item": "2019/p1.png", "tag": "a", "verdict": "accepted"}]}
        for path, asked in [("/v1/collections/photos/decisions", body),
                            ("/v1/jobs", {"task": "learn-suggest", "collection": "photos"})]:
            self.assertEqual(server.ask("POST", path, body=asked, headers=known).status, 403)
        self.assertEqual(server.ask("POST", "/v1/uploads?name=a.jsonl", raw=b"{}", headers=known).status, 403)


if __name__ == "__main__":
    main()
