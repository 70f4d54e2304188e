// A join condition for queries that cover only the current deployment.
import { and, eq } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { deployment } from "../db/schema/deployments.ts";

/**
 * The condition of a join with `deployment` that keeps only rows of the current deployment.
 * @param deploymentId the column of the other table that refers to the deployment
 */
export const isCurrent = (deploymentId: PgColumn) => and(eq(deployment.id, deploymentId), deployment.current);
