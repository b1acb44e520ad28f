"""House rulesets by the digest of their text."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "house_rules",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Links that were shared stay good."""
    raise NotImplementedError
