// Mounts a page into its document.
import { type ReactNode, StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { LanguageProvider } from "../i18n/language.tsx";
import { browserEnvironment, EnvironmentProvider } from "./environment.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";

/** @param reference for support requests */
export function mount(page: ReactNode, reference?: string): void {
  const element = document.getElementById("page");
  if (!element) throw new Error("The document has no element #page.");
  const rendered = (
    <StrictMode>
      <EnvironmentProvider value={browserEnvironment()}>
        <LanguageProvider>
          <ErrorBoundary reference={reference}>{page}</ErrorBoundary>
        </LanguageProvider>
      </EnvironmentProvider>
    </StrictMode>
  );
  const tree = createRoot(element);
  // Renders in short slices, so that a slow phone stays responsive.
  startTransition(() => tree.render(rendered));
}
