/** The build and the tests turn such an import into a script: the module with all that it imports. */
declare module '*?bundle' {
  const code: string;
  export default code;
}
