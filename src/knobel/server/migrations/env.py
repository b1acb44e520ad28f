"""Alembic runs this file; `knobel.server.database` hands it the connection."""

from alembic import context

from knobel.server.rows import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,  # a killed migration leaves nothing behind, on both databases
)
with context.begin_transaction():
    context.run_migrations()
