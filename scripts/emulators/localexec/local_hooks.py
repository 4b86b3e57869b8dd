"""What LocalStack does otherwise when it starts without Docker. It reaches into LocalStack 2026.3.0: pin that version."""

import os
import tempfile

from localstack.runtime import hooks


@hooks.on_infra_start()
def listen_on_loopback():
    """Binds 127.0.0.1: LocalStack's Twisted server takes only the port from GATEWAY_LISTEN, and would bind 0.0.0.0."""
    from twisted.internet import endpoints

    original = endpoints.TCP4ServerEndpoint

    def on_loopback(reactor, port, backlog=50, interface=""):
        return original(reactor, port, backlog, interface or "127.0.0.1")

    endpoints.TCP4ServerEndpoint = on_loopback


@hooks.on_infra_start()
def use_other_dynamodb():
    """Sends DynamoDB's requests to LOCALEXEC_DDB, where LocalStack would download and start DynamoDB Local (a jar)."""
    url = os.environ["LOCALEXEC_DDB"]
    from localstack.aws.forwarder import AwsRequestProxy
    from localstack.services.dynamodb.server import DynamodbServer
    from localstack.services.dynamodbstreams.v2.provider import DynamoDBStreamsProvider

    original = DynamodbServer.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.proxy = AwsRequestProxy(url)

    DynamodbServer.__init__ = init
    DynamodbServer.url = property(lambda self: url)
    DynamodbServer.start_dynamodb = lambda self: True
    DynamodbServer.stop_dynamodb = lambda self: None
    DynamodbServer.is_up = lambda self: True
    DynamoDBStreamsProvider.modify_stream_arn_for_ddb_local = lambda self, arn: arn


@hooks.on_infra_start()
def keep_objects_here():
    """Keeps what S3 stores below TMPDIR, which goes with the emulator: LocalStack would leave /tmp/localstack-s3-storage."""
    from localstack.services.s3.storage.ephemeral import EphemeralS3ObjectStore

    original = EphemeralS3ObjectStore.__init__

    def init(self, root_directory=None):
        original(self, os.path.join(tempfile.gettempdir(), "s3"))

    EphemeralS3ObjectStore.__init__ = init
