/** React: renders the whole document with the script tag of the widget, like frameworks on top of React. */
import { App } from './app.tsx';

export function WholeDocument() {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>A page</title>
        <script async src="/v2/" data-api-key="test_public_key" />
      </head>
      <body>
        <App />
      </body>
    </html>
  );
}
