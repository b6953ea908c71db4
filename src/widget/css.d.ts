/** The build and the tests import a style sheet as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
