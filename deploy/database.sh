#!/bin/sh
# Run by the PostgreSQL image when it creates the database. Creates the login of the serving processes (docs/audit-log.md).
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set password="$(cat /run/secrets/service_password)" <<'SQL'
create role gateway_app nologin;
create role gateway_service login password :'password' in role gateway_app;
grant create on database gateway to gateway_service;
SQL
