/** React: a page that installs the widget itself while it is shown. */
import { type GivenOptions, install } from 'email-verify-widget';
import { useEffect } from 'react';
import { App } from './app.tsx';

declare const options: GivenOptions;

export function Installed() {
  useEffect(() => {
    const widget = install(options);
    return () => widget.destroy();
  }, []);

  return <App />;
}
