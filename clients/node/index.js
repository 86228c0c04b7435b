export { SpillwayError } from "./http.js";
export { NotAccepted, Producer, Refused } from "./producer.js";
export { Dead, Later, Unavailable, Worker } from "./worker.js";
