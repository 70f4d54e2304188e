// Finds the nodes of a statement's plan that read more rows than they return: sequential scans, full index scans, and
// index conditions that leave most of the work to a filter.
import type { Client } from "pg";

/** The part of an `EXPLAIN (FORMAT JSON)` node that this file reads. */
interface PlanNode {
  "Node Type": string;
  "Plan Rows": number;
  "Startup Cost": number;
  "Total Cost": number;
  "Parent Relationship"?: string;
  Schema?: string;
  "Relation Name"?: string;
  Alias?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

export interface Finding {
  /** The table that is read. */
  table: string;
  /** The node that reads the table, and the planner's estimate of the number of rows. */
  problem: string;
}

/** Reading fewer rows than this is acceptable, because they belong to one payment or one page of a list. */
const FEW_ROWS = 100;

/**
 * Maximum number of rows read per returned row. For an unknown value the planner assumes that a third of the rows are
 * below or above it, and a filter may contain two such estimates.
 */
const READ_FOR_EACH = 10;

/** An equality with a parameter, except for columns of which most rows have the value: the current deployment, a flag. */
const UNKNOWN_VALUE = /(?<!\.deployment_id |\.failed |[<>!])= \(?\$\d+/;

/**
 * The cost per row in a plan. It is high enough that all other costs are a fraction of a row, so a node's cost shows
 * how many rows the node reads.
 */
const ROW_COST = 1_000;

/**
 * Makes the planner prefer the plan that reads the fewest rows, as it does for large tables: through an index, also in
 * joins. If a scan remains, there is no such index.
 */
const PLANNER_SETTINGS = `
  set cpu_tuple_cost = ${ROW_COST}; set random_page_cost = 1.1; set jit = off; set max_parallel_workers_per_gather = 0;
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off;
  set enable_memoize = off`;

/**
 * Returns a function that plans a statement; it throws a DatabaseError if the statement cannot be planned.
 * @param client connected to a database with statistics (fill-history.ts); receives `PLANNER_SETTINGS`
 */
export async function createScanFinder(client: Client): Promise<(statement: string) => Promise<Finding[]>> {
  await client.query(PLANNER_SETTINGS);
  const indexes = await loadIndexes(client);
  return async (statement) => {
    const findings: Finding[] = [];
    const visit = (node: PlanNode, limited: boolean): void => {
      const finding = examine(node, limited, indexes);
      if (finding) findings.push(finding);
      const passesLimit = node["Node Type"] === "Limit" || (limited && PASSES_LIMIT.has(node["Node Type"]));
      // In a join, the limit ends only the outer side.
      for (const [index, child] of (node.Plans ?? []).entries()) visit(child, passesLimit && index === 0);
    };
    visit(await explain(client, statement), false);
    return findings;
  };
}

/** Nodes that request no more rows from their children than are requested from them. */
const PASSES_LIMIT = new Set([
  "LockRows",
  "Result",
  "Subquery Scan",
  "Nested Loop",
  "Append",
  "Merge Append",
]);

async function explain(client: Client, statement: string): Promise<PlanNode> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `explain (generic_plan, verbose, format json) ${statement}`,
  );
  const [row] = rows;
  if (!row) throw new Error("EXPLAIN returned no plan.");
  return row["QUERY PLAN"][0].Plan;
}

interface Index {
  /** Number of rows in the index. */
  rows: number;
  partial: boolean;
}

/** Loads the indexes by schema and name. */
async function loadIndexes(client: Client): Promise<Map<string, Index>> {
  const { rows } = await client.query<Index & { name: string }>(
    `select n.nspname || '.' || c.relname as name, c.reltuples as rows, i.indpred is not null as partial
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace`,
  );
  return new Map(rows.map((index) => [index.name, index]));
}

function examine(node: PlanNode, limited: boolean, indexes: ReadonlyMap<string, Index>): Finding | undefined {
  const { "Node Type": type, "Relation Name": table, "Plan Rows": returned, Filter: filter } = node;
  if (table === undefined) return undefined;
  if (type === "Seq Scan") return { table, problem: `Seq Scan${filter ? `, Filter ${filter}` : ""}` };
  if (!/^Index (Only )?Scan|^Bitmap Heap Scan/.test(type)) return undefined;
  const inner = node.Plans?.find((child) => child["Node Type"].startsWith("Bitmap"));
  const condition = node["Index Cond"] ?? inner?.["Index Cond"];
  const index = node["Index Name"] ?? inner?.["Index Name"] ?? "several indexes";
  const isFull = condition === undefined && node["Index Name"] !== undefined;
  const { rows = 0, partial = false } = indexes.get(`${node.Schema}.${index}`) ?? {};
  const read = isFull ? rows : rowsRead(node, inner);
  if (read < FEW_ROWS) return undefined;
  // The planner assumes an average number of rows for an unknown value, but a filter may select a rare one.
  const kept = filter !== undefined && UNKNOWN_VALUE.test(filter) ? 0 : returned;
  if (filter !== undefined && kept * READ_FOR_EACH < read) {
    const cost = `${Math.round(read)} rows are read for ${kept}`;
    return { table, problem: `${type} of ${index}, Cond ${condition ?? "none"}, Filter ${filter}: ${cost}` };
  }
  // A partial index may be read in full, because its condition selects the rows.
  if (isFull && !limited && !partial)
    return { table, problem: `${type} of ${index} from end to end, ${read} rows` };
  return undefined;
}

/** Returns how many rows a scan fetches through its index, before its filter. */
function rowsRead(node: PlanNode, bitmap: PlanNode | undefined): number {
  if (bitmap) return bitmap["Plan Rows"];
  // A filter with a subquery runs the subquery for each row, at most to its end.
  const subqueries = (node.Plans ?? []).filter((child) => child["Parent Relationship"] === "SubPlan");
  const each = subqueries.reduce((sum, child) => sum + child["Total Cost"], ROW_COST);
  return (node["Total Cost"] - node["Startup Cost"]) / each;
}
