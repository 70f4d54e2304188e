// A join condition for reports and lists, which cover only the current deployment.
import { and, eq } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { deployment } from "../db/schema/deployments.ts";

/** Whether the deployment of the row with this column is the current one. */
export const isCurrent = (deploymentId: PgColumn) => and(eq(deployment.id, deploymentId), deployment.current);
