/** The URL of the service, without a slash at the end. The demo may be in any folder, and the service is beside it. */
export const serviceUrl = new URL('.', import.meta.url).href.replace(/\/$/, '');

/** Options that lead the widget to the service. In a folder the widget needs them, because its default is the origin. */
export const ownBaseUrl = new URL(serviceUrl).pathname === '/' ? {} : { baseUrl: serviceUrl };
