/** The build and the tests turn such an import into the text of the file. */
declare module '*?raw' {
  const text: string;
  export default text;
}
