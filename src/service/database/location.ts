/** The places where the database can be. */

/** A PostgreSQL server by its `postgres://` URL, or the folder of an embedded PostgreSQL. */
export type DatabaseLocation = { readonly url: string } | { readonly folder: string };
