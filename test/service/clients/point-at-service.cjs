/**
 * Preloaded into a process that uses the official client. It sends the client's requests to the service at `SERVICE`, and
 * fails every connection that would leave this machine.
 */
const { Socket } = require('node:net');
const axios = require('../../../.ci/tools/node_modules/axios');

const create = axios.create.bind(axios);
// An HTTP proxy of the environment would be another way out.
axios.create = (options) => create({ ...options, baseURL: `${process.env.SERVICE}/v1/`, proxy: false });

const connect = Socket.prototype.connect;
Socket.prototype.connect = function connectHere(...parameters) {
  const [options] = parameters.flat();
  const host = options?.host ?? 'a host without a name';
  if (host !== '127.0.0.1') throw new Error(`Expected a connection to the service of the test, got ${host}.`);
  return connect.apply(this, parameters);
};
