// The package has no types of its own.
declare module 'graphql-markdown' {
  import type { IntrospectionQuery } from 'graphql';

  export interface RenderOptions {
    readonly title?: string;
    readonly prologue?: string;
    readonly skipTableOfContents?: boolean;
    readonly printer: (line: string) => void;
  }
  export function renderSchema(schema: IntrospectionQuery, options: RenderOptions): void;
}
