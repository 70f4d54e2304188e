// Creates the dashboard user of a local gateway, unless the user exists.
import { connect } from "#core/db/client.ts";
import { createUser, type NewUser } from "#core/users/users.ts";

export async function ensureUser(databaseUrl: string, user: NewUser): Promise<void> {
  const database = connect(databaseUrl, { max: 1, application: "users" });
  try {
    await createUser(database, user);
  } finally {
    await database.$client.end();
  }
}
