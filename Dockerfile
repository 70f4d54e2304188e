# The gateway's roles; which one runs, the command says (compose.yaml).
FROM node:22-bookworm-slim
WORKDIR /app
RUN chown node:node /app
USER node
ENV PATH=/app/tools/node_modules/.bin:$PATH
# Bun's allocator keeps freed memory (docs/deployment.md).
ENV MIMALLOC_PURGE_DELAY=-1
COPY --chown=node:node . .
# Installs Bun and the packages as the lockfiles have them, and bundles the pages.
RUN node scripts/bootstrap.mjs build
CMD ["bun", "api/main.ts"]
