/** The settings of the embedded server, which win over those in its files. */

/** The role that owns everything, and the initial database. */
export const ROLE = 'email_verify';
export const DATABASE = 'postgres';
/** Only part of the socket's name. The server does not listen on the network. */
export const PORT = 5432;

/** Settings of a server whose socket is in `socketFolder`, as parameters of `postgres`. */
export function serverParameters(socketFolder: string): string[] {
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: '',
    port: String(PORT),
    // The setting is a list, so quotes protect commas in the path.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '60',
    shared_buffers: '32MB',
    // Acknowledged writes survive a crash.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    // The default needs /dev/shm, which is small in containers.
    dynamic_shared_memory_type: 'mmap',
    io_method: 'sync',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Messages of failed statements may quote email addresses, so they are not logged.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_statement: 'none',
    log_min_duration_statement: '-1',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_checkpoints: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
