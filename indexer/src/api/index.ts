// Ponder requires an HTTP application; the service's API is elsewhere, and /ready comes with Ponder.
import { Hono } from "hono";

export default new Hono();
