/** Says where the database of the service is. */

/** A `postgres://` URL of a server, or the folder that holds the embedded database. */
export type DatabaseLocation = { readonly url: string } | { readonly folder: string };
