// `npm run build`: the pages of web/, as the API serves them. `npm start` and `npm test` do it by themselves.
import { ensurePagesBuilt } from "./local/pages.ts";

await ensurePagesBuilt();
