// Raw HTTP on a socket, for requests that no HTTP client sends.
import { connect } from "node:net";

export type RawAnswer = { status: number; body: string };

/** Sends a request and reads until the server closes the connection. The request must contain `Connection: close`. */
export function sendRaw(origin: string, request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setEncoding("utf8");
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("end", () => {
      const [head = "", ...rest] = text.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), body: rest.join("\r\n\r\n") });
    });
    socket.on("error", reject);
  });
}
