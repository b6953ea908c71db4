/** The location of the database. */

/** The `postgres://` URL of a server, or the folder of an embedded database. */
export type DatabaseLocation = { readonly url: string } | { readonly folder: string };
