/** React: the whole document is its own, the script tag of the widget too, as frameworks on top of it have it. */
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
