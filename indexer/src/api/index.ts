// Ponder requires an HTTP application. This one has no routes: the gateway's API is in api/, and Ponder serves /ready.
import { Hono } from "hono";

export default new Hono();
