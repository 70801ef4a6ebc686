"""When does CAPE not help? Its noise beside the alternatives, with colluders, dropouts and unequal sites."""
