/** The build and the tests turn such an import into a script: the module with all its imports. */
declare module '*?bundle' {
  const code: string;
  export default code;
}
