/**
 * Copies an object without a prototype, so that it inherits nothing that a page has added to Object.prototype. A
 * `signal` there would break fetch, `bubbles` would change events, and every response would seem to have an attribute.
 */
export const bare = <T extends object>(own: T): T => ({ __proto__: null, ...own });
