/**
 * The laptop: lanekeeper's world in memory, with SQS FIFO's, DynamoDB's, its stream's and S3's semantics, a clock that
 * is moved by hand, and faults on demand.
 * @module
 */

