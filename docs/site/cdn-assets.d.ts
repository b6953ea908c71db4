/** highlight.js as one small file for each part. The package has no types, and the one with types is three times as large. */
declare module '@highlightjs/cdn-assets/es/core.min.js' {
  const highlighter: {
    registerLanguage(name: string, language: unknown): void;
    highlight(code: string, options: { readonly language: string }): { readonly value: string };
  };
  export default highlighter;
}

declare module '@highlightjs/cdn-assets/es/languages/*' {
  const language: unknown;
  export default language;
}
