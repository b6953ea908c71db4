/**
 * An object on which nothing that a page has added to Object.prototype can be seen: `signal` there breaks fetch,
 * `bubbles` changes events, and an attribute would seem to be one of any answer.
 */
export const bare = <T extends object>(own: T): T => ({ __proto__: null, ...own });
