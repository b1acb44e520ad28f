import subprocess
import sys
from pathlib import Path

from knobel.server.page_messages import RulesetOffers
from tests.server.serving import Served


def test_no_request_breaks_the_api(served: Served, tmp_path: Path) -> None:
    """schemathesis: broken and sound requests for every route, answers compared with the OpenAPI description."""
    served.open()
    before = served.http.get("/api/tables").json()["tables"][0]
    run = subprocess.run(
        [
            Path(sys.executable).parent / "schemathesis", "run", f"{served.url}/api/openapi.json",
            "--max-examples=15", "--seed=1", "--generation-deterministic", "--no-color", "--workers=1",
            "--exclude-checks=positive_data_acceptance",  # sound JSON may still name no ruleset that there is
            "--request-timeout=10", "--max-response-time=5",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-6000:]
    assert served.http.get(f"/api/tables/{before['id']}").json() == before


def test_every_answer_that_is_no_table_is_described(served: Served) -> None:
    paths = served.http.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/codes/{code}",
        "/api/health",
        "/api/house-preview",
        "/api/house-rules",
        "/api/house-rules/{digest}",
        "/api/lobby",
        "/api/me",
        "/api/me/dice",
        "/api/me/forget",
        "/api/me/phrase",
        "/api/me/recover",
        "/api/me/results",
        "/api/rulesets",
        "/api/rulesets/compose",
        "/api/rulesets/{name}/page",
        "/api/tables",
        "/api/tables/{table_id}",
        "/api/tables/{table_id}/dice",
        "/api/tables/{table_id}/qr.svg",
        "/api/tables/{table_id}/record",
    }
    assert RulesetOffers.__doc__ == "GET /api/rulesets"
