"""A broker made with openbrokerapi: instances and bindings in memory, operations that take a number of polls.

The framework parses the requests and chooses the codes. What is decided here:

- `--polls N`: an operation goes on through N polls; without it everything is done at once
- `--may-delete USER`: only this user may delete; others get 403, before the framework sees the request
- an identifier `fault-NAME-…` of an instance or binding makes the requests about it end in the way NAME says

`GET /seen` and `GET /instances` tell tests what it saw and what it has.
"""

import argparse
import base64
import json
import logging
import time

from flask import Flask, Response, jsonify, request
from openbrokerapi import api, errors
from openbrokerapi.catalog import ServicePlan
from openbrokerapi.service_broker import (
    Binding,
    BindState,
    DeprovisionServiceSpec,
    GetBindingSpec,
    GetInstanceDetailsSpec,
    LastOperation,
    OperationState,
    ProvisionedServiceSpec,
    ProvisionState,
    Service,
    ServiceBroker,
    UnbindSpec,
    UpdateServiceSpec,
)
from werkzeug.serving import make_server

SERVICE = Service(
    id="service-database",
    name="database",
    description="a database",
    bindable=True,
    plan_updateable=True,
    instances_retrievable=True,
    bindings_retrievable=True,
    tags=["sql"],
    plans=[
        ServicePlan(id="plan-small", name="small", description="one gigabyte"),
        ServicePlan(id="plan-large", name="large", description="a hundred gigabytes", free=False),
    ],
)

# What the framework makes a code of, and what it does not expect.
FAULTS = {
    "badrequest": errors.ErrBadRequest,
    "parameters": lambda: errors.ErrInvalidParameters("there is no such size"),
    "asyncrequired": errors.ErrAsyncRequired,
    "concurrency": errors.ErrConcurrentInstanceAccess,
    "conflict": errors.ErrInstanceAlreadyExists,
    "bindingconflict": errors.ErrBindingAlreadyExists,
    "requiresapp": errors.ErrAppGuidNotProvided,
    "gone": errors.ErrInstanceDoesNotExist,
    "bindinggone": errors.ErrBindingDoesNotExist,
    "unimplemented": NotImplementedError,
    "error": RuntimeError,
}


def fault(*identifiers):
    for identifier in identifiers:
        if identifier.startswith("fault-"):
            name = identifier.split("-")[1]
            if name == "silence":
                time.sleep(3600)
            if name in FAULTS:
                raise FAULTS[name]()


class Broker(ServiceBroker):
    def __init__(self, polls):
        self.polls = polls
        self.instances = {}
        self.going = {}

    def catalog(self):
        return SERVICE

    def start(self, place, name, work, allowed):
        """Does the work at once, or lets it go on; returns the operation's name in the second case."""
        if self.polls is None:
            work()
            return None
        if not allowed:
            raise errors.ErrAsyncRequired()
        self.going[place] = {"name": name, "left": self.polls, "work": work}
        return name

    def provision(self, instance_id, details, async_allowed, **kwargs):
        fault(instance_id)
        place = (instance_id, None)
        wanted = {"plan": details.plan_id, "parameters": details.parameters, "bindings": {}}
        there = self.instances.get(instance_id)
        if there is not None:
            if (there["plan"], there["parameters"]) != (wanted["plan"], wanted["parameters"]):
                raise errors.ErrInstanceAlreadyExists()
            return ProvisionedServiceSpec(ProvisionState.IDENTICAL_ALREADY_EXISTS)
        if place in self.going:
            return ProvisionedServiceSpec(ProvisionState.IS_ASYNC, operation=self.going[place]["name"])
        url = "http://dashboard/" + instance_id
        name = self.start(place, "provision", lambda: self.instances.update({instance_id: wanted}), async_allowed)
        state = ProvisionState.IS_ASYNC if name else ProvisionState.SUCCESSFUL_CREATED
        return ProvisionedServiceSpec(state, dashboard_url=url, operation=name)

    def update(self, instance_id, details, async_allowed, **kwargs):
        fault(instance_id)
        if instance_id not in self.instances:
            raise errors.ErrBadRequest("there is no such instance")
        if (instance_id, None) in self.going:
            raise errors.ErrConcurrentInstanceAccess()

        def work():
            instance = self.instances[instance_id]
            if details.plan_id:
                instance["plan"] = details.plan_id
            if details.parameters is not None:
                instance["parameters"] = details.parameters

        name = self.start((instance_id, None), "update", work, async_allowed)
        return UpdateServiceSpec(is_async=name is not None, operation=name)

    def deprovision(self, instance_id, details, async_allowed, **kwargs):
        fault(instance_id)
        place = (instance_id, None)
        going = self.going.get(place)
        if going and going["name"] == "deprovision":
            return DeprovisionServiceSpec(True, "deprovision")
        if instance_id not in self.instances and not going:
            raise errors.ErrInstanceDoesNotExist()
        name = self.start(place, "deprovision", lambda: self.instances.pop(instance_id, None), async_allowed)
        return DeprovisionServiceSpec(name is not None, name)

    def bind(self, instance_id, binding_id, details, async_allowed, **kwargs):
        fault(instance_id, binding_id)
        instance = self.instances.get(instance_id)
        if instance is None:
            raise errors.ErrBadRequest("there is no such instance")
        wanted = {
            "parameters": details.parameters,
            "credentials": {"username": "user", "password": "password-" + binding_id, "port": 5432},
        }
        there = instance["bindings"].get(binding_id)
        if there is not None:
            if there["parameters"] != wanted["parameters"]:
                raise errors.ErrBindingAlreadyExists()
            return Binding(BindState.IDENTICAL_ALREADY_EXISTS, credentials=there["credentials"])
        work = lambda: instance["bindings"].update({binding_id: wanted})
        name = self.start((instance_id, binding_id), "bind", work, async_allowed)
        if name:
            return Binding(BindState.IS_ASYNC, operation=name)
        return Binding(BindState.SUCCESSFUL_BOUND, credentials=wanted["credentials"])

    def unbind(self, instance_id, binding_id, details, async_allowed, **kwargs):
        fault(instance_id, binding_id)
        place = (instance_id, binding_id)
        bindings = self.instances.get(instance_id, {}).get("bindings", {})
        if binding_id not in bindings and place not in self.going:
            raise errors.ErrBindingDoesNotExist()
        name = self.start(place, "unbind", lambda: bindings.pop(binding_id, None), async_allowed)
        return UnbindSpec(name is not None, name)

    def get_instance(self, instance_id, **kwargs):
        fault(instance_id)
        instance = self.instances.get(instance_id)
        if instance is None:
            raise errors.ErrInstanceDoesNotExist()
        if (instance_id, None) in self.going:
            raise errors.ErrConcurrentInstanceAccess()
        return GetInstanceDetailsSpec(SERVICE.id, instance["plan"], parameters=instance["parameters"])

    def get_binding(self, instance_id, binding_id, **kwargs):
        fault(instance_id, binding_id)
        binding = self.instances.get(instance_id, {}).get("bindings", {}).get(binding_id)
        if binding is None:
            raise errors.ErrBindingDoesNotExist()
        return GetBindingSpec(credentials=binding["credentials"])

    def last_operation(self, instance_id, operation_data, **kwargs):
        if instance_id.startswith("fault-failed"):
            return LastOperation(OperationState.FAILED, "the disk is full")
        fault(instance_id)
        if instance_id not in self.instances and (instance_id, None) not in self.going:
            raise errors.ErrInstanceDoesNotExist()
        return self.poll((instance_id, None))

    def last_binding_operation(self, instance_id, binding_id, operation_data, **kwargs):
        if binding_id.startswith("fault-failed"):
            return LastOperation(OperationState.FAILED, "the disk is full")
        fault(binding_id)
        return self.poll((instance_id, binding_id))

    def poll(self, place):
        going = self.going.get(place)
        if going is None:
            return LastOperation(OperationState.SUCCEEDED, "done")
        if going["left"] > 0:
            going["left"] -= 1
            return LastOperation(OperationState.IN_PROGRESS, "%d steps to go" % going["left"])
        del self.going[place]
        going["work"]()
        return LastOperation(OperationState.SUCCEEDED, "done")


def username():
    header = request.headers.get("X-Broker-API-Originating-Identity")
    if not header:
        return None
    return json.loads(base64.standard_b64decode(header.split(None, 1)[1])).get("username")


def make(arguments):
    app = Flask(__name__)
    broker = Broker(arguments.polls)
    seen = []

    @app.before_request
    def policy():
        if request.method == "DELETE" and arguments.may_delete and username() != arguments.may_delete:
            words = {"error": "Forbidden", "description": "%s may not delete this" % (username() or "nobody")}
            return Response(json.dumps(words), status=403, mimetype="application/json")

    @app.after_request
    def remember(response):
        if request.path.startswith("/v2/"):
            seen.append({
                "method": request.method,
                "path": request.path,
                "username": username(),
                "status": response.status_code,
                "version": request.headers.get("X-Broker-API-Version"),
                "request": request.headers.get("X-Broker-API-Request-Identity"),
            })
            if request.path.endswith("/last_operation"):
                response.headers["Retry-After"] = arguments.retry_after
        return response

    app.add_url_rule("/seen", "seen", lambda: jsonify(seen))
    app.add_url_rule("/instances", "instances", lambda: jsonify(broker.instances))
    credentials = api.BrokerCredentials(arguments.username, arguments.password)
    app.register_blueprint(api.get_blueprint(broker, credentials, logging.getLogger("broker")))
    return app


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--polls", type=int)
    parser.add_argument("--may-delete")
    parser.add_argument("--retry-after", default="1")
    parser.add_argument("--username", default="admin")
    parser.add_argument("--password", default="password")
    arguments = parser.parse_args()
    server = make_server("127.0.0.1", arguments.port, make(arguments), threaded=True)
    print("listening on %d" % server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
