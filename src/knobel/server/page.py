"""The pages' API and the pages themselves; every error is a `Refusal`."""

from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from knobel import text
from knobel.errors import Reason
from knobel.server.explained import explained
from knobel.server.hall import Hall
from knobel.server.house import House, add_house_routes
from knobel.server.messages import Problem
from knobel.server.page_messages import (
    Refusal,
    RulesAnswer,
    RulesetChoice,
    RulesetName,
    RulesetOffers,
)
from knobel.server.page_view import offers
from knobel.server.present import problem_of, refusal_of, rules_of
from knobel.server.wire import first_problem, printable
from knobel.table import BrokenTable, Refused
from knobel.view import RulesetView

STATIC = FilePath(__file__).parent / "static"
_STATUS = {
    "table/unknown": 404,
    "guest/none": 403,
    "ruleset/full": 507,
    "server/overloaded": 503,
    "storage/full": 507,
    "storage/failed": 503,
    "server/error": 500,
}
_HTTP_PROBLEMS = {
    404: Problem("request/not-found", "server-not-found", {}),
    405: Problem("request/method-not-allowed", "server-method-not-allowed", {}),
}
_REFUSAL = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    422: {"content": _REFUSAL, "description": "Refused"},
    503: {"content": _REFUSAL, "description": "Overloaded, or storage failed"},
    507: {"content": _REFUSAL, "description": "Storage full"},
}


@dataclass(frozen=True, slots=True)
class Health:
    """GET /api/health: 200 while the server can store what it is told, else 503 with `Refusal`."""

    ok: Literal[True] = True


def add_routes(app: FastAPI, hall: Hall, house: House) -> None:
    """The pages, and the API of rulesets."""
    add_house_routes(app, house, REFUSALS)

    @app.get("/api/health", responses=REFUSALS | {503: {"model": Refusal, "description": "Storing fails"}})
    async def _health() -> Health:
        if hall.writer.problem is not None:
            problem = hall.writer.problem
            raise Refused(problem.code, Reason(problem.key, problem.params))
        return Health()

    @app.get("/api/rulesets")
    async def _rulesets() -> RulesetOffers:
        return offers()

    @app.post("/api/rulesets/compose", responses=REFUSALS)
    async def _compose(choice: RulesetChoice) -> RulesetView:
        return rules_of(await house.compose(choice.ruleset, choice.options))

    @app.get("/api/rulesets/{name}/page", responses=REFUSALS)
    async def _rules(name: RulesetName, request: Request) -> RulesAnswer:
        return await explained(house, name, request.query_params.multi_items())

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/rules", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/rules/{ruleset}", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/workshop", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/workshop/{digest}", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/join", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/join/{code}", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/lobby", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/me", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/table/{table_id}/fairness", methods=["GET", "HEAD"], include_in_schema=False)
    @app.api_route("/table/{table_id}", methods=["GET", "HEAD"], include_in_schema=False)
    async def _index() -> Response:
        index = STATIC / "index.html"
        if not index.is_file():
            return PlainTextResponse("\n".join(text.say("server-no-pages", language) for language in ("en", "de")), 503)
        return FileResponse(index)

    if (STATIC / "assets").is_dir():
        app.mount("/assets", StaticFiles(directory=STATIC / "assets"))


def add_refusals(app: FastAPI) -> None:
    """One shape for every error."""

    @app.exception_handler(Refused)
    async def _refused(_: Request, error: Refused) -> Response:
        return _refusal(_STATUS.get(error.code, 422), refusal_of(error))

    @app.exception_handler(BrokenTable)
    async def _broken(_: Request, error: BrokenTable) -> Response:
        return _refusal(500, problem_of("table/broken", error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> Response:
        return _refusal(422, Problem("request/invalid", "server-request-invalid", first_problem(error.errors())))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        params = {"where": "body", "problem": printable(str(error.detail))[:120]}
        other = Problem("request/invalid", "server-request-invalid", dict(params))
        status = 422 if error.status_code == 400 else error.status_code  # one answer to every body that cannot be read
        response = _refusal(status, _HTTP_PROBLEMS.get(status, other))
        if error.status_code == 405:
            response.headers["allow"] = ", ".join(sorted(_methods(app, request)))
        return response

    @app.exception_handler(Exception)
    async def _failed(_: Request, _error: Exception) -> Response:
        return _refusal(500, Problem("server/error", "server-error", {}))


def _methods(app: FastAPI, request: Request) -> set[str]:
    """All methods of the path: each route knows only its own."""
    routes = [route for route in app.routes if isinstance(route, Route)]
    return {
        method
        for route in routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


def _refusal(status: int, problem: Problem) -> Response:
    return JSONResponse(asdict(Refusal(problem)), status)
